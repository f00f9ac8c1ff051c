package io.tensorfabric.verbs.soft;

/** Validates a request before a queue takes it. */
interface PostCheck {
    /** Throws when the request cannot be posted. */
    void check(long request, int accepted);
}

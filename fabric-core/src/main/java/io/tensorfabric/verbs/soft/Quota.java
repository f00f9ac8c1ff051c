package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;

/** How many objects of a kind may exist. Thread-safe. */
final class Quota {

    private final String kind;

    private final String call;

    private final int limit;

    private final AtomicInteger used = new AtomicInteger();

    Quota(String kind, String call, int limit) {
        this.kind = kind;
        this.call = call;
        this.limit = limit;
    }

    /** Name of the call that creates such an object. */
    String call() {
        return call;
    }

    void take() {
        if (used.incrementAndGet() > limit) {
            used.decrementAndGet();
            throw new VerbsException(call, Errno.ENOMEM, "the device's limit of " + limit + " " + kind + " is reached");
        }
    }

    void give() {
        used.decrementAndGet();
    }
}

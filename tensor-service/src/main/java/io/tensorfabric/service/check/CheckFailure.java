package io.tensorfabric.service.check;

/** A check did not pass; the message says why and what to look at. */
final class CheckFailure extends Exception {

    private static final long serialVersionUID = 1L;

    CheckFailure(String message) {
        super(message);
    }
}

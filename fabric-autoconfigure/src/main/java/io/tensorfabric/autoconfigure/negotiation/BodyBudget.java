package io.tensorfabric.autoconfigure.negotiation;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds the memory of all bodies that are being received at once. Thread-safe. */
final class BodyBudget {

    private final long limit;

    private final AtomicLong used = new AtomicLong();

    BodyBudget(long limit) {
        this.limit = limit;
    }

    boolean take(long bytes) {
        if (used.addAndGet(bytes) <= limit) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    void give(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }
}

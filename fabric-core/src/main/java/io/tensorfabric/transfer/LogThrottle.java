package io.tensorfabric.transfer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Lets one of many like lines into the log in some seconds, with the number of those left out. Thread-safe. */
final class LogThrottle {

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final long quietNanos;

    private final AtomicLong next = new AtomicLong(System.nanoTime());

    private final AtomicLong leftOut = new AtomicLong();

    LogThrottle() {
        this(QUIET_NANOS);
    }

    LogThrottle(long quietNanos) {
        this.quietNanos = quietNanos;
    }

    /** How many lines were left out since the last one, or -1 if this one is to be left out too. */
    long take() {
        long now = System.nanoTime();
        long due = next.get();
        if (now - due >= 0 && next.compareAndSet(due, now + quietNanos)) {
            return leftOut.getAndSet(0);
        }
        leftOut.incrementAndGet();
        return -1;
    }
}

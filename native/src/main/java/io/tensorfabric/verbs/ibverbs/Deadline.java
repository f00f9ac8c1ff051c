package io.tensorfabric.verbs.ibverbs;

import java.time.Duration;

/** The end of a wait. */
final class Deadline {

    /** Longer waits end after this: some 146 years. */
    private static final long MOST = Long.MAX_VALUE / 2;

    private final long end;

    private Deadline(long end) {
        this.end = end;
    }

    static Deadline after(Duration timeout) {
        return new Deadline(System.nanoTime() + saturatedNanos(timeout));
    }

    private static long saturatedNanos(Duration timeout) {
        try {
            return Math.min(Math.max(timeout.toNanos(), 0), MOST);
        } catch (ArithmeticException tooLong) {
            return timeout.isNegative() ? 0 : MOST;
        }
    }

    /** Nanoseconds left, 0 when it is over. */
    long restNanos() {
        return Math.max(end - System.nanoTime(), 0);
    }
}

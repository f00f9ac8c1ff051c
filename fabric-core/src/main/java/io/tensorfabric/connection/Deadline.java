package io.tensorfabric.connection;

import java.time.Duration;

/** A moment until which something must have happened. Immutable. */
final class Deadline {

    private final long nanoTime;

    private Deadline(long nanoTime) {
        this.nanoTime = nanoTime;
    }

    static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    /** The earlier of this and one of its own. */
    Deadline within(Duration duration) {
        Deadline other = in(duration);
        return nanoTime - other.nanoTime <= 0 ? this : other;
    }

    long remainingNanos() {
        return nanoTime - System.nanoTime();
    }

    /** Time left, at least a millisecond, so that it can be given to a call. */
    Duration remaining() {
        return Duration.ofNanos(Math.max(1_000_000, remainingNanos()));
    }

    boolean hasPassed() {
        return remainingNanos() <= 0;
    }
}

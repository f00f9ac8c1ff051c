package io.tensorfabric.transfer;

import java.time.Duration;

/** The part of a push that knows its times. A superclass rather than a part, so that a push stays one object. Thread-safe. */
abstract class TimedPush extends AwaitedPush implements DeadlineWheel.Timed {

    private final long startedMillis = System.currentTimeMillis();

    private final long startedNanos = System.nanoTime();

    private final long deadlineNanos;

    /** In the wheel of deadlines. */
    private volatile int place;

    /** @param deadline from now on */
    TimedPush(Duration deadline) {
        // 100 years are enough, and keep the sum from overflowing.
        this.deadlineNanos =
                Math.min(deadline.toSeconds(), 100L * 365 * 86_400) * 1_000_000_000L + deadline.toNanosPart();
    }

    @Override
    public final int place() {
        return place;
    }

    @Override
    public final void place(int value) {
        place = value;
    }

    /** When it began, in milliseconds of the epoch. */
    final long startedMillis() {
        return startedMillis;
    }

    final long elapsedNanos() {
        return System.nanoTime() - startedNanos;
    }

    final long remainingNanos() {
        return Math.max(0, deadlineNanos - elapsedNanos());
    }
}

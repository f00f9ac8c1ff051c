package io.tensorfabric.transfer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How a push is tried again after its connection was lost or could not be made.
 *
 * @param attempts most tries, the first included, at least 1
 * @param backoff wait before the second try
 * @param multiplier what the wait grows by for each further try, at least 1
 */
public record RetryOptions(int attempts, Duration backoff, double multiplier) {

    private static final RetryOptions DEFAULTS = new RetryOptions(3, Duration.ofMillis(50), 2);

    /** Longest wait, so that no combination of options overflows. */
    private static final long MAX_WAIT_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Validates. */
    public RetryOptions {
        if (attempts < 1 || attempts > 0xFFFF) {
            throw new IllegalArgumentException("The number of attempts must lie between 1 and 65535, not " + attempts);
        }
        if (backoff.isNegative()) {
            throw new IllegalArgumentException("The backoff must not be negative, not " + backoff);
        }
        if (!(multiplier >= 1) || Double.isInfinite(multiplier)) {
            throw new IllegalArgumentException("The multiplier must be a number of at least 1, not " + multiplier);
        }
    }

    /** Three attempts, 50 ms apart, doubling. */
    public static RetryOptions defaults() {
        return DEFAULTS;
    }

    /** One attempt. */
    public static RetryOptions none() {
        return new RetryOptions(1, Duration.ZERO, 1);
    }

    /** Wait after a number of failed attempts. */
    long backoffNanos(int failedAttempts) {
        double millis = backoff.toMillis() * Math.pow(multiplier, failedAttempts - 1.0);
        return (long) Math.min((double) MAX_WAIT_NANOS, millis * TimeUnit.MILLISECONDS.toNanos(1));
    }
}

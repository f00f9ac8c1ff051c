package io.tensorfabric.transfer;

import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;

/**
 * How a push is tried again after its connection was lost or could not be made.
 *
 * @param attempts most tries, the first included, at least 1
 * @param backoff wait before the second try, at least 1 ms where there is one
 * @param multiplier what the wait grows by for each further try, at least 1
 * @param jitter by which part of itself each wait is randomly shorter or longer, from 0 to below 1, so that peers which lost
 *     the same node do not all come back at once
 * @param maxBackoff longest wait, before jitter
 */
public record RetryOptions(int attempts, Duration backoff, double multiplier, double jitter, Duration maxBackoff) {

    private static final double DEFAULT_JITTER = 0.5;

    private static final Duration DEFAULT_MAX_BACKOFF = Duration.ofSeconds(5);

    private static final RetryOptions DEFAULTS = new RetryOptions(3, Duration.ofMillis(50), 2);

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
        if (!(jitter >= 0) || jitter >= 1) {
            throw new IllegalArgumentException("The jitter must be from 0 to below 1, not " + jitter);
        }
        if (maxBackoff.compareTo(backoff) < 0) {
            throw new IllegalArgumentException(
                    "The longest backoff must be at least the first one (" + backoff + "), not " + maxBackoff);
        }
    }

    /** The same with half of each wait as jitter, and waits of at most 5 s, or of the first one if that is longer. */
    public RetryOptions(int attempts, Duration backoff, double multiplier) {
        this(
                attempts,
                backoff,
                multiplier,
                DEFAULT_JITTER,
                backoff.compareTo(DEFAULT_MAX_BACKOFF) > 0 ? backoff : DEFAULT_MAX_BACKOFF);
    }

    /** Three attempts, about 50 ms apart, doubling. */
    public static RetryOptions defaults() {
        return DEFAULTS;
    }

    /** One attempt. */
    public static RetryOptions none() {
        return new RetryOptions(1, Duration.ZERO, 1);
    }

    /** In the words of the library that decides over tries: which failures are worth another one is part of it. */
    RetryConfig toConfig() {
        Duration first = backoff.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : backoff;
        Duration longest = maxBackoff.compareTo(first) < 0 ? first : maxBackoff;
        return RetryConfig.custom()
                .maxAttempts(attempts)
                .intervalFunction(IntervalFunction.ofExponentialRandomBackoff(first, multiplier, jitter, longest))
                .retryOnException(PushFailures::isRecoverable)
                .failAfterMaxAttempts(true)
                .build();
    }
}

package io.tensorfabric.transfer;

import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;

/**
 * When pushes to a peer fail at once because the latest ones failed. Counted are pushes that the peer answered, whatever it
 * said, as successes; connections that could not be made or were lost, and pushes that missed their deadline with the peer,
 * as failures.
 *
 * @param failureRate percentage of failures from which on the breaker opens, above 0 to 100
 * @param window outcomes that count, the latest ones
 * @param minimumOutcomes outcomes before the breaker may open
 * @param openWait how long it stays open at first; doubles with each further time in a row
 * @param maxOpenWait longest of these times
 * @param probes pushes that may try the peer then; their outcome decides
 */
public record CircuitBreakerOptions(
        float failureRate, int window, int minimumOutcomes, Duration openWait, Duration maxOpenWait, int probes) {

    private static final CircuitBreakerOptions DEFAULTS =
            new CircuitBreakerOptions(75, 20, 10, Duration.ofSeconds(1), Duration.ofSeconds(15), 2);

    private static final int MAX_WINDOW = 100_000;

    /** How long probes may take before the breaker opens again. */
    private static final Duration MAX_PROBE = Duration.ofSeconds(30);

    /** Validates. */
    public CircuitBreakerOptions {
        if (!(failureRate > 0) || failureRate > 100) {
            throw new IllegalArgumentException("The failure rate must be above 0 and at most 100, not " + failureRate);
        }
        within("window", window, MAX_WINDOW);
        within("number of outcomes", minimumOutcomes, window);
        within("number of probes", probes, MAX_WINDOW);
        if (openWait.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("The breaker must stay open for at least 1 ms, not " + openWait);
        }
        if (maxOpenWait.compareTo(openWait) < 0) {
            throw new IllegalArgumentException("The longest time that the breaker stays open must be at least the first"
                    + " one (" + openWait + "), not " + maxOpenWait);
        }
    }

    private static void within(String what, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException("The " + what + " must be from 1 to " + max + ", not " + value);
        }
    }

    /** Opens when three quarters of the latest 10 to 20 failed, for 1 s to 15 s, and lets 2 try then. */
    public static CircuitBreakerOptions defaults() {
        return DEFAULTS;
    }

    CircuitBreakerConfig toConfig() {
        return CircuitBreakerConfig.custom()
                .failureRateThreshold(failureRate)
                .slidingWindowType(SlidingWindowType.COUNT_BASED)
                .slidingWindowSize(window)
                .minimumNumberOfCalls(minimumOutcomes)
                .waitIntervalFunctionInOpenState(IntervalFunction.ofExponentialBackoff(openWait, 2, maxOpenWait))
                .permittedNumberOfCallsInHalfOpenState(probes)
                .maxWaitDurationInHalfOpenState(MAX_PROBE)
                .writableStackTraceEnabled(false)
                .build();
    }
}

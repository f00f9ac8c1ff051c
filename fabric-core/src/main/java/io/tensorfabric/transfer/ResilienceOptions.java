package io.tensorfabric.transfer;

/**
 * How pushes to a peer are held back, tried again and given up. Immutable and valid.
 *
 * @param retry how lost pushes are tried again
 * @param circuitBreaker when pushes fail at once
 * @param maxInFlight most pushes under way to the peer
 */
public record ResilienceOptions(RetryOptions retry, CircuitBreakerOptions circuitBreaker, int maxInFlight) {

    private static final int DEFAULT_IN_FLIGHT = 1024;

    private static final int MAX_IN_FLIGHT = 1 << 20;

    private static final ResilienceOptions DEFAULTS =
            new ResilienceOptions(RetryOptions.defaults(), CircuitBreakerOptions.defaults(), DEFAULT_IN_FLIGHT);

    /** Validates. */
    public ResilienceOptions {
        if (maxInFlight < 1 || maxInFlight > MAX_IN_FLIGHT) {
            throw new IllegalArgumentException(
                    "maxInFlight must lie between 1 and " + MAX_IN_FLIGHT + ", not " + maxInFlight);
        }
    }

    /** The defaults of its parts, and 1024 pushes under way. */
    public static ResilienceOptions defaults() {
        return DEFAULTS;
    }

    /** The same with other retries. */
    public ResilienceOptions withRetry(RetryOptions value) {
        return new ResilienceOptions(value, circuitBreaker, maxInFlight);
    }

    /** The same with another circuit breaker. */
    public ResilienceOptions withCircuitBreaker(CircuitBreakerOptions value) {
        return new ResilienceOptions(retry, value, maxInFlight);
    }

    /** The same with another limit of pushes under way. */
    public ResilienceOptions withMaxInFlight(int value) {
        return new ResilienceOptions(retry, circuitBreaker, value);
    }
}

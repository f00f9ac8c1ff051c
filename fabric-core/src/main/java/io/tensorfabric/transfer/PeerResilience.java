package io.tensorfabric.transfer;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryRegistry;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Circuit breaker, retry and bulkhead of each peer, in Resilience4j's registries. Instances are called {@code fabric.} and
 * the name of the peer; they are made with the first push. Their configuration in the registries is called {@code fabric}, or
 * like the instance if the peer has options of its own. Thread-safe.
 */
public final class PeerResilience {

    /** Name of the configuration of peers without options of their own. */
    public static final String CONFIG = "fabric";

    /** What the names of all instances begin with. */
    public static final String PREFIX = "fabric.";

    private final Registries registries;

    private final Map<String, ResilienceOptions> perPeer;

    /**
     * Where the instances are kept.
     *
     * @param circuitBreakers circuit breakers
     * @param retries retries
     * @param bulkheads bulkheads
     */
    public record Registries(
            CircuitBreakerRegistry circuitBreakers, RetryRegistry retries, BulkheadRegistry bulkheads) {

        /** New ones. */
        public static Registries create() {
            return new Registries(
                    CircuitBreakerRegistry.ofDefaults(), RetryRegistry.ofDefaults(), BulkheadRegistry.ofDefaults());
        }
    }

    /**
     * Adds the configurations to registries, which may serve others too.
     *
     * @param registries where the instances are kept
     * @param defaults for peers without options of their own
     * @param perPeer options by the name of the peer
     */
    public PeerResilience(Registries registries, ResilienceOptions defaults, Map<String, ResilienceOptions> perPeer) {
        this.registries = registries;
        this.perPeer = Map.copyOf(perPeer);
        addConfiguration(CONFIG, defaults);
        perPeer.forEach((peer, options) -> addConfiguration(PREFIX + peer, options));
    }

    private void addConfiguration(String name, ResilienceOptions options) {
        registries
                .circuitBreakers()
                .addConfiguration(name, options.circuitBreaker().toConfig());
        registries.retries().addConfiguration(name, options.retry().toConfig());
        registries
                .bulkheads()
                .addConfiguration(
                        name,
                        BulkheadConfig.custom()
                                .maxConcurrentCalls(options.maxInFlight())
                                .maxWaitDuration(Duration.ZERO)
                                .writableStackTraceEnabled(false)
                                .build());
    }

    /** The registries. */
    public Registries registries() {
        return registries;
    }

    private String configOf(String peer) {
        return perPeer.containsKey(peer) ? PREFIX + peer : CONFIG;
    }

    CircuitBreaker circuitBreaker(String peer) {
        return registries.circuitBreakers().circuitBreaker(PREFIX + peer, configOf(peer));
    }

    Retry retry(String peer) {
        return registries.retries().retry(PREFIX + peer, configOf(peer));
    }

    Bulkhead bulkhead(String peer) {
        return registries.bulkheads().bulkhead(PREFIX + peer, configOf(peer));
    }

    /**
     * How pushes to a peer are doing.
     *
     * @param circuitBreaker state of its circuit breaker
     * @param failureRate percentage of failures among the latest outcomes, {@code null} while there are too few
     * @param inFlight pushes under way
     */
    public record Status(
            CircuitBreaker.State circuitBreaker, @Nullable Float failureRate, int inFlight) {}

    /** How pushes to a peer are doing, {@code null} if there were none. */
    public @Nullable Status status(String peer) {
        CircuitBreaker breaker =
                registries.circuitBreakers().find(PREFIX + peer).orElse(null);
        Bulkhead bulkhead = registries.bulkheads().find(PREFIX + peer).orElse(null);
        if (breaker == null || bulkhead == null) {
            return null;
        }
        float rate = breaker.getMetrics().getFailureRate();
        Bulkhead.Metrics calls = bulkhead.getMetrics();
        return new Status(
                breaker.getState(),
                rate < 0 ? null : Float.valueOf(rate),
                calls.getMaxAllowedConcurrentCalls() - calls.getAvailableConcurrentCalls());
    }

    /** Forgets the instances of a name that is no peer's. */
    void forget(String peer) {
        registries.circuitBreakers().remove(PREFIX + peer);
        registries.retries().remove(PREFIX + peer);
        registries.bulkheads().remove(PREFIX + peer);
    }
}

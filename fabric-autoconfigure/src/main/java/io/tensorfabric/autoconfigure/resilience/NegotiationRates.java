package io.tensorfabric.autoconfigure.resilience;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.tensorfabric.autoconfigure.ResilienceProperties;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.transfer.PeerResilience;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits how often each node may ask for a connection, with a rate limiter called {@code fabric.} and its node id: a peer
 * that connects and loses its connection over and over must not keep this node busy making queue pairs. Thread-safe.
 */
public final class NegotiationRates {

    /** Callers that prove nothing may call themselves anything: beyond so many names, all share one limiter. */
    private static final int MAX_NAMES = 1024;

    private static final String REST = "fabric";

    private final RateLimiterRegistry registry;

    private final Map<String, RateLimiter> limiters = new ConcurrentHashMap<>();

    /** Limits whose limiters are made in a registry. */
    public NegotiationRates(RateLimiterRegistry registry, ResilienceProperties.RateLimiter properties) {
        this.registry = registry;
        registry.addConfiguration(
                PeerResilience.CONFIG,
                RateLimiterConfig.custom()
                        .limitForPeriod(properties.limit())
                        .limitRefreshPeriod(properties.period())
                        .timeoutDuration(Duration.ZERO)
                        .writableStackTraceEnabled(false)
                        .build());
    }

    /** Where the limiters are kept. */
    RateLimiterRegistry registry() {
        return registry;
    }

    /**
     * Counts a request for a connection.
     *
     * @param nodeId who asks
     * @throws ConnectionException {@link ConnectionException.Kind#LIMIT} if it asked too often
     */
    public void connecting(String nodeId) {
        RateLimiter known = limiters.get(nodeId);
        RateLimiter limiter = known != null ? known : limiter(nodeId);
        if (!limiter.acquirePermission()) {
            RateLimiterConfig config = limiter.getRateLimiterConfig();
            throw new ConnectionException(
                    ConnectionException.Kind.LIMIT,
                    nodeId,
                    "Node " + nodeId + " asked for more than " + config.getLimitForPeriod() + " connections in "
                            + config.getLimitRefreshPeriod().toMillis()
                            + " ms. Find out why they do not last, or raise 'fabric.resilience.rate-limiter.limit'");
        }
    }

    private RateLimiter limiter(String nodeId) {
        return limiters.size() < MAX_NAMES
                ? limiters.computeIfAbsent(
                        nodeId, id -> registry.rateLimiter(PeerResilience.PREFIX + id, PeerResilience.CONFIG))
                : registry.rateLimiter(REST, PeerResilience.CONFIG);
    }
}

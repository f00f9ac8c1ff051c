package io.tensorfabric.autoconfigure.negotiation;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.EstablishedResponse;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NodeDescription;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.connection.ZoneRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Stops asking a peer that does not answer for a while, with a circuit breaker per peer around what begins a connection.
 * Refusals count as answers. Thread-safe.
 */
final class CircuitBreakingNegotiationClient implements NegotiationClient, AutoCloseable {

    private final NegotiationClient delegate;

    private final CircuitBreakerRegistry registry;

    private final PeerHttpClients resources;

    private final Map<String, Instant> closedUntil = new ConcurrentHashMap<>();

    private final Map<String, CircuitBreaker> breakers = new ConcurrentHashMap<>();

    CircuitBreakingNegotiationClient(
            NegotiationClient delegate, CircuitBreakerRegistry registry, PeerHttpClients resources) {
        this.delegate = delegate;
        this.registry = registry;
        this.resources = resources;
    }

    /** Closes what the delegate works with; called with the application context. */
    @Override
    public void close() {
        resources.close();
    }

    /** Whether a failure says that the peer cannot be reached; anything else proves that it can. */
    static boolean isUnreachable(Throwable failure) {
        return failure instanceof ConnectionException lost
                && lost.kind() == ConnectionException.Kind.UNREACHABLE
                && !(failure instanceof WrongTargetException);
    }

    @Override
    public NodeDescription node(Peer peer, Duration timeout) {
        return guarded(peer, () -> delegate.node(peer, timeout));
    }

    @Override
    public ConnectResponse connect(Peer peer, ConnectRequest request, Duration timeout) {
        return guarded(peer, () -> delegate.connect(peer, request, timeout));
    }

    @Override
    public EstablishedResponse established(
            Peer peer, String connectionId, EstablishedRequest request, Duration timeout) {
        return delegate.established(peer, connectionId, request, timeout);
    }

    @Override
    public ZoneGrant openZone(Peer peer, String connectionId, ZoneRequest request, Duration timeout) {
        return delegate.openZone(peer, connectionId, request, timeout);
    }

    @Override
    public void close(Peer peer, String connectionId, Duration timeout) {
        delegate.close(peer, connectionId, timeout);
    }

    private <T> T guarded(Peer peer, Supplier<T> call) {
        CircuitBreaker breaker = breakers.computeIfAbsent(peer.name(), this::breaker);
        try {
            return breaker.executeSupplier(call);
        } catch (CallNotPermittedException ex) {
            Instant next = closedUntil.get(peer.name());
            throw new ConnectionException(
                    ConnectionException.Kind.UNREACHABLE,
                    peer.name(),
                    "Peer '" + peer.name() + "' at " + peer.uri() + " did not answer lately and is not asked again"
                            + (next == null ? " for a moment" : " before " + next),
                    null,
                    ex);
        }
    }

    private CircuitBreaker breaker(String name) {
        CircuitBreaker breaker = registry.circuitBreaker(name);
        breaker.getEventPublisher().onStateTransition(event -> {
            if (event.getStateTransition().getToState() == CircuitBreaker.State.OPEN) {
                long wait = breaker.getCircuitBreakerConfig()
                        .getWaitIntervalFunctionInOpenState()
                        .apply(1);
                closedUntil.put(name, event.getCreationTime().toInstant().plusMillis(wait));
            }
        });
        return breaker;
    }
}

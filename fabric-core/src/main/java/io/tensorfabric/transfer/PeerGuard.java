package io.tensorfabric.transfer;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.IllegalStateTransitionException;
import io.github.resilience4j.retry.Retry;
import io.tensorfabric.connection.BackoffException;
import io.tensorfabric.connection.ConnectionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Circuit breaker, retry and bulkhead of one peer, as pushes use them. Thread-safe.
 *
 * <p>An attempt takes a permission of the breaker and gives it back with its outcome. A connection that ends, or cannot be
 * made, is one failure however many pushes it takes along: else a single cut cable with many pushes in flight would open
 * the breaker, and the pushes that are about to be tried again would fail.
 */
final class PeerGuard {

    private static final Logger log = LoggerFactory.getLogger(PeerGuard.class);

    private final CircuitBreaker breaker;

    private final Retry retry;

    private final Bulkhead bulkhead;

    PeerGuard(PeerResilience resilience, String peer) {
        this.breaker = resilience.circuitBreaker(peer);
        this.retry = resilience.retry(peer);
        this.bulkhead = resilience.bulkhead(peer);
        breaker.getEventPublisher().onStateTransition(event -> tell(peer, event.getStateTransition()));
    }

    private static void tell(String peer, CircuitBreaker.StateTransition transition) {
        if (transition.getToState() == CircuitBreaker.State.OPEN) {
            log.warn(
                    "Pushes to peer '{}' fail at once for a while: too many of the latest failed ({})",
                    peer,
                    transition);
        } else {
            log.info("The circuit breaker of peer '{}' changed: {}", peer, transition);
        }
    }

    Bulkhead bulkhead() {
        return bulkhead;
    }

    /** Decides over further attempts of one push. */
    Retry.AsyncContext<TransferReceipt> retries() {
        return retry.asyncContext();
    }

    /** Permission for an attempt; {@code null}, or why there is none. */
    @Nullable CallNotPermittedException enter() {
        return isPermitted() ? null : CallNotPermittedException.createCallNotPermittedException(breaker);
    }

    private boolean isPermitted() {
        try {
            return breaker.tryAcquirePermission();
        } catch (IllegalStateTransitionException e) {
            // Its wait was over, but before it was half open a connection came up and closed it.
            return breaker.tryAcquirePermission();
        }
    }

    /** The peer answered, whatever it said. */
    void answered(long nanos) {
        breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
    }

    /** The peer let a push run into its deadline. */
    void failed(long nanos, Throwable cause) {
        breaker.onError(nanos, TimeUnit.NANOSECONDS, cause);
    }

    /** An attempt ended with nothing learned about the peer, or with its connection, which tells of itself. */
    void left() {
        breaker.releasePermission();
    }

    /** A connection was lost, or could not be made. */
    void disconnected(Throwable cause) {
        if (cause instanceof ConnectionException failure
                && !(failure instanceof BackoffException)
                && (failure.kind() == ConnectionException.Kind.UNREACHABLE
                        || failure.kind() == ConnectionException.Kind.LOST)) {
            breaker.onError(0, TimeUnit.NANOSECONDS, cause);
        }
    }

    /** A connection is up, which proves that the peer can be reached, whoever made it. */
    void connected() {
        if (breaker.getState() == CircuitBreaker.State.OPEN) {
            breaker.transitionToClosedState();
        }
    }
}

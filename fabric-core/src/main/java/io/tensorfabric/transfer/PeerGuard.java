package io.tensorfabric.transfer;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.IllegalStateTransitionException;
import io.github.resilience4j.retry.Retry;
import io.tensorfabric.connection.BackoffException;
import io.tensorfabric.connection.ConnectionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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

    private final String peer;

    private final CircuitBreaker breaker;

    /** Successes that took longer may open the breaker too. */
    private final long slowNanos;

    /** Whether its transitions are told. */
    private final AtomicBoolean watched = new AtomicBoolean();

    private final Retry retry;

    /** Of all pushes whose first attempt succeeds: it is one with nothing to remember, and only counts them. */
    private final Retry.AsyncContext<TransferReceipt> firstAttempt;

    private final Bulkhead bulkhead;

    PeerGuard(PeerResilience resilience, String peer) {
        this.peer = peer;
        this.breaker = resilience.circuitBreaker(peer);
        this.slowNanos =
                breaker.getCircuitBreakerConfig().getSlowCallDurationThreshold().toNanos();
        this.retry = resilience.retry(peer);
        this.firstAttempt = retry.asyncContext();
        this.bulkhead = resilience.bulkhead(peer);
    }

    /**
     * Has transitions told from now on. Only when the first one may come: with any consumer, a breaker makes an event of each
     * success too, which costs more than all else that it does.
     */
    private void watch() {
        if (!watched.get() && watched.compareAndSet(false, true)) {
            breaker.getEventPublisher().onStateTransition(event -> tell(event.getStateTransition()));
        }
    }

    private void tell(CircuitBreaker.StateTransition transition) {
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

    /** A push succeeded with its first attempt. */
    void succeededAtOnce() {
        firstAttempt.onComplete();
    }

    /** Permission for an attempt; {@code null}, or why there is none. */
    @Nullable CallNotPermittedException enter() {
        if (isPermitted()) {
            return null;
        }
        // Somebody else may have opened it.
        watch();
        return CallNotPermittedException.createCallNotPermittedException(breaker);
    }

    /** The same for one of a group whose first asked for permission: a group is one probe of a breaker that is half open. */
    @Nullable CallNotPermittedException follow() {
        return breaker.getState() == CircuitBreaker.State.OPEN
                ? CallNotPermittedException.createCallNotPermittedException(breaker)
                : null;
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
        if (nanos >= slowNanos) {
            watch();
        }
        breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
    }

    /** The peer let a push run into its deadline. */
    void failed(long nanos, Throwable cause) {
        watch();
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
            watch();
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

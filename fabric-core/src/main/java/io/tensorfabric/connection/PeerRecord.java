package io.tensorfabric.connection;

import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What this node remembers of a peer: how negotiations went, and when the next one may begin. Thread-safe. */
final class PeerRecord {

    /** A connection that lived this long was no failure of the negotiation, even if it moved nothing. */
    private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final double JITTER = 0.25;

    /** Beyond it, the longest wait is reached whatever the options. */
    private static final int MAX_COUNTED = 60;

    private final String name;
    /** With jitter, so that nodes which lost the same peer do not all come back at once. */
    private final IntervalFunction backoff;

    private @Nullable String nodeId;
    private @Nullable CompletableFuture<Connection> pending;
    private @Nullable Runnable waiting;
    private @Nullable Future<?> waitingTimer;
    private long attempts;
    private int failures;
    private @Nullable ConnectionException lastFailure;
    private boolean failed;
    private Instant since = Instant.now();
    private long nextAttempt = System.nanoTime();

    PeerRecord(String name, ConnectionOptions options) {
        this.name = name;
        Duration first = atLeastOneMilli(options.reconnectBackoff());
        Duration longest = atLeastOneMilli(options.maxReconnectBackoff());
        this.backoff = IntervalFunction.ofExponentialRandomBackoff(first, 2, JITTER, longest);
    }

    private static Duration atLeastOneMilli(Duration value) {
        return value.toMillis() < 1 ? Duration.ofMillis(1) : value;
    }

    String name() {
        return name;
    }

    synchronized @Nullable String nodeId() {
        return nodeId;
    }

    synchronized void learned(String id) {
        nodeId = id;
    }

    /** The negotiation under way, or a new one that the caller must start; see {@link Start#mine}. */
    synchronized Start start() {
        CompletableFuture<Connection> present = pending;
        if (present != null) {
            return new Start(present, false);
        }
        CompletableFuture<Connection> made = new CompletableFuture<>();
        pending = made;
        since = Instant.now();
        return new Start(made, true);
    }

    /**
     * A negotiation.
     *
     * @param future how it ends
     * @param mine whether the caller must start it
     */
    record Start(CompletableFuture<Connection> future, boolean mine) {}

    /** Time until the next negotiation may begin, zero when at once. */
    synchronized Duration backoff() {
        return Duration.ofNanos(Math.max(0, nextAttempt - System.nanoTime()));
    }

    synchronized void attempted() {
        attempts++;
        waiting = null;
        waitingTimer = null;
    }

    /** A negotiation waits for its time. */
    synchronized void waits(Runnable attempt, Future<?> timer) {
        waiting = attempt;
        waitingTimer = timer;
    }

    /** The wait is over before its time. */
    private void wake() {
        Runnable attempt = waiting;
        Future<?> timer = waitingTimer;
        waiting = null;
        waitingTimer = null;
        if (attempt != null && timer != null && timer.cancel(false)) {
            attempt.run();
        }
    }

    synchronized void succeeded() {
        pending = null;
    }

    /** A connection with the peer is UP, whoever asked for it. */
    synchronized void cameUp() {
        failed = false;
        nextAttempt = System.nanoTime();
        since = Instant.now();
        wake();
    }

    synchronized void failed(ConnectionException cause) {
        pending = null;
        note(cause);
    }

    /** A call ended without a negotiation. */
    synchronized void refused() {
        pending = null;
    }

    /** A connection that was UP is gone. */
    synchronized void lost(@Nullable ConnectionException cause, boolean useful, long upSince) {
        since = Instant.now();
        if (useful || System.nanoTime() - upSince > STABLE_NANOS) {
            failures = 0;
            nextAttempt = System.nanoTime();
        }
        if (cause == null) {
            failed = false;
            return;
        }
        if (useful) {
            failed = true;
            lastFailure = cause;
        } else {
            note(cause);
        }
    }

    private void note(ConnectionException cause) {
        failures++;
        failed = true;
        lastFailure = cause;
        since = Instant.now();
        nextAttempt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(backoff.apply(Math.min(failures, MAX_COUNTED)));
    }

    /** The peer, or the port, has shown life: the next negotiation may begin at once. */
    synchronized void alive() {
        failures = 0;
        nextAttempt = System.nanoTime();
        wake();
    }

    synchronized @Nullable ConnectionException lastFailure() {
        return lastFailure;
    }

    synchronized PeerStatus describe(@Nullable FabricConnection connection) {
        long wait = nextAttempt - System.nanoTime();
        ConnectionException failure = lastFailure;
        return new PeerStatus(
                name,
                nodeId,
                state(connection),
                connection != null ? connection.id() : null,
                attempts,
                failures,
                failure != null ? failure.getMessage() : null,
                since,
                wait > 0 ? Instant.now().plusNanos(wait) : null);
    }

    private PeerState state(@Nullable FabricConnection connection) {
        if (connection != null && connection.isUp()) {
            return PeerState.UP;
        }
        if (pending != null || (connection != null && connection.isHalfOpen())) {
            return PeerState.CONNECTING;
        }
        if (connection != null && connection.state() == ConnectionState.DRAINING && connection.failure() == null) {
            return PeerState.DRAINING;
        }
        return failed ? PeerState.FAILED : PeerState.IDLE;
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after all connections on the timer thread: sends heartbeats, ends connections whose peer is silent, reaps half-open
 * ones. Does not block.
 */
final class Caretaker implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Caretaker.class);

    private static final long MIN_TICK = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long MAX_TICK = TimeUnit.MILLISECONDS.toNanos(250);

    private final ConnectionTable table;
    private final long tick;
    private final long heartbeatInterval;
    private final Duration heartbeatTimeout;
    private final Duration negotiationTimeout;
    private final Duration idleTimeout;
    private final Duration closeTimeout;
    private final Evictor evictor;
    private final Executor closes;
    private long lastRun = System.nanoTime();
    private long lastHeartbeat = System.nanoTime();

    /** @param closes where connections that were unused for too long are closed */
    Caretaker(ConnectionTable table, Evictor evictor, ConnectionOptions options, Executor closes) {
        this.table = table;
        this.evictor = evictor;
        this.closes = closes;
        this.idleTimeout = options.idleTimeout();
        this.heartbeatInterval = options.heartbeatInterval().toNanos();
        this.heartbeatTimeout = options.heartbeatTimeout();
        this.negotiationTimeout = options.negotiationTimeout();
        this.closeTimeout = options.drainTimeout().multipliedBy(2);
        this.tick = Math.max(MIN_TICK, Math.min(MAX_TICK, heartbeatInterval / 2));
    }

    long tickNanos() {
        return tick;
    }

    @Override
    public void run() {
        long now = System.nanoTime();
        // This process may have been suspended: then the silence is its own.
        boolean late = now - lastRun > tick + heartbeatInterval;
        boolean beat = now - lastHeartbeat >= heartbeatInterval;
        lastRun = now;
        if (beat) {
            lastHeartbeat = now;
        }
        for (FabricConnection connection : table.all()) {
            try {
                look(connection, late, beat);
            } catch (RuntimeException e) {
                LOG.error("Connection {} could not be looked after", connection.id(), e);
            }
        }
    }

    private void look(FabricConnection connection, boolean late, boolean beat) {
        if (connection.isHalfOpen()) {
            reap(connection);
            return;
        }
        if (!connection.isUp()) {
            return;
        }
        connection.use().look();
        if (late) {
            connection.heard();
        }
        if (connection.nanosSinceHeard() > heartbeatTimeout.toNanos()) {
            connection.fail(connection.lost(
                    "no heartbeat for " + heartbeatTimeout.toMillis()
                            + " ms. Check that the peer runs and is not stopped, and its network",
                    null));
            return;
        }
        for (QueuePairLane lane : connection.laneSet().lanes()) {
            lane.returnCredits();
        }
        if (beat) {
            heartbeat(connection.lane(0));
        }
        if (!idleTimeout.isZero() && evictor.isUnused(connection, idleTimeout)) {
            closes.execute(() -> evictor.evict(connection, closeTimeout, "since nobody used it for " + idleTimeout));
        }
    }

    /** An initiator ends its own negotiation; a responder has nobody else to do it. */
    private void reap(FabricConnection connection) {
        boolean overdue = connection.negotiationDeadline().hasPassed();
        if (overdue && !connection.isInitiator()) {
            connection.failQuietly(new ConnectionException(
                    Kind.UNREACHABLE,
                    connection.peerName(),
                    "Peer " + connection.peerName() + " began connection " + connection.id()
                            + " and did not finish it within " + negotiationTimeout.toMillis() + " ms"));
        }
    }

    /** Without room or credit there is traffic, which shows life as well. */
    private static void heartbeat(QueuePairLane control) {
        LaneTransmission message = control.beginInternal(true, LaneCredits.KEPT_FROM_ALL);
        if (message != null) {
            message.open(MessageTypes.HEARTBEAT);
            message.submit(InternalWork.IGNORED, 0);
        }
    }
}

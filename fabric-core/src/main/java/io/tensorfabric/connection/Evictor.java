package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections in order that nobody uses: when another one needs their place, the one unused longest. A peer, or this
 * node, that needs it again connects again. Thread-safe.
 */
final class Evictor {

    private static final Logger LOG = LoggerFactory.getLogger(Evictor.class);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ConnectionTable table;
    private final FabricServices services;
    private final LongAdder evictions = new LongAdder();

    Evictor(ConnectionTable table, FabricServices services) {
        this.table = table;
        this.services = services;
    }

    /** Connections that made room, or were unused for too long. */
    long evictions() {
        return evictions.sum();
    }

    /**
     * Does what needs a place in the table, making room for it as long as there is none.
     *
     * @throws ConnectionException {@link Kind#LIMIT} if there is none in time: all connections are in use
     */
    <T> T withRoom(Supplier<T> action, Deadline deadline) {
        while (true) {
            try {
                return action.get();
            } catch (ConnectionException e) {
                if (e.kind() != Kind.LIMIT || deadline.hasPassed()) {
                    throw e;
                }
                if (!evictOne(deadline)) {
                    LockSupport.parkNanos(LOOK_NANOS);
                }
            }
        }
    }

    /** Closes the connection that was unused longest; false if none may be closed now. Blocks while it closes. */
    boolean evictOne(Deadline deadline) {
        Optional<FabricConnection> victim = table.all().stream()
                .filter(connection -> isUnused(connection, services.options().evictionIdle()))
                .max(Comparator.comparingLong(connection -> connection.use().idleNanos()));
        return victim.isPresent() && evict(victim.get(), deadline.remaining(), "to make room for another one");
    }

    /** Whether nobody has used it for some time, and nothing is under way on it. */
    boolean isUnused(FabricConnection connection, Duration time) {
        return connection.isReady()
                && connection.use().idleNanos() >= time.toNanos()
                && connection.isIdle()
                && !services.handler().isBusy(connection);
    }

    /** Closes it in order; false if it ends already. */
    boolean evict(FabricConnection connection, Duration timeout, String why) {
        OrderlyClose close = new OrderlyClose(connection, services);
        if (!close.begin()) {
            return false;
        }
        evictions.increment();
        LOG.debug("Connection {} to {} is closed {}", connection.id(), connection.peerName(), why);
        close.finish(timeout);
        return true;
    }
}

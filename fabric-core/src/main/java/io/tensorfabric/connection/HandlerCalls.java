package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of a connection's handler: {@code down} comes once, after every other call has returned and if there was one.
 * Whatever it throws on a poller thread is logged and does not reach the poller. Thread-safe.
 */
final class HandlerCalls {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerCalls.class);

    private final FabricConnection connection;

    private final ConnectionHandler handler;

    /** Read: a call other than {@code down}; write: {@code down}. */
    private final ReentrantReadWriteLock calls = new ReentrantReadWriteLock();

    private volatile boolean known;

    private boolean over;

    HandlerCalls(FabricConnection connection, ConnectionHandler handler) {
        this.connection = connection;
        this.handler = handler;
    }

    private <T> T call(Supplier<T> call) {
        Lock lock = calls.readLock();
        lock.lock();
        try {
            ConnectionException failure = connection.failure();
            if (failure != null) {
                throw failure;
            }
            if (over) {
                throw new ConnectionException(
                        Kind.LOST,
                        connection.peerName(),
                        "The connection to " + connection.peerName() + " went down meanwhile");
            }
            return call.get();
        } finally {
            lock.unlock();
        }
    }

    /** The queue pairs are RTS: the handler opens zones, and will be told when the connection is DOWN. */
    List<ZoneGrant> openZones() {
        return call(() -> {
            known = true;
            return List.copyOf(handler.openZones(connection));
        });
    }

    ZoneGrant openZone(ZoneRequest request) {
        SharedMemoryRequest shared = request.shared();
        RegionRequest region = request.region();
        if (region != null) {
            return call(() -> handler.openRegion(connection, region));
        }
        return call(() -> shared == null
                ? handler.openZone(connection, request.bytes())
                : handler.openSharedZone(connection, request.bytes(), shared));
    }

    /** It ends in order. */
    void closing() {
        try {
            call(() -> {
                handler.closing(connection);
                return handler;
            });
        } catch (RuntimeException e) {
            LOG.debug("The end of connection {} was not announced", connection.id(), e);
        }
    }

    void zonesOpened(List<ZoneGrant> zones) {
        call(() -> {
            handler.zonesOpened(connection, List.copyOf(zones));
            return zones;
        });
    }

    void up() {
        call(() -> {
            handler.up(connection);
            return handler;
        });
    }

    void down() {
        calls.writeLock().lock();
        try {
            over = true;
            if (known) {
                handler.down(connection);
            }
        } catch (RuntimeException e) {
            LOG.error("The handler of connections failed on the end of {}", connection.id(), e);
        } finally {
            calls.writeLock().unlock();
        }
    }

    /** Poller thread. */
    void received(QueuePairLane lane, int type, ByteBuffer body) {
        connection.use().mark();
        try {
            handler.received(connection, lane, type, body);
        } catch (Throwable t) {
            LOG.error("The handler failed on a message of type {} of {}", type, connection.id(), t);
        }
    }

    /** Poller thread. */
    void immediate(QueuePairLane lane, int immediate, int bytes) {
        connection.use().mark();
        try {
            handler.immediate(connection, lane, immediate, bytes);
        } catch (Throwable t) {
            LOG.error("The handler failed on an immediate of {}", connection.id(), t);
        }
    }

    /** Poller thread. */
    void ready(QueuePairLane lane) {
        try {
            handler.ready(lane);
        } catch (Throwable t) {
            LOG.error("The handler failed on a ready lane of {}", connection.id(), t);
        }
    }
}

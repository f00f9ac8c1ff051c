package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.cuda.GpuImport;
import io.tensorfabric.memory.cuda.GpuMemory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes of a link that this node's GPUs copy by themselves to the GPU of a peer on the same host: one route for each GPU,
 * negotiated when the first tensor needs it. Guarded by the lock of the link's sender, except where noted.
 */
final class CudaIpcLink {

    private static final Logger log = LoggerFactory.getLogger(CudaIpcLink.class);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Engine engine;
    private final LinkSender sender;
    private final Connection connection;
    private final ReentrantLock lock;
    private final Rooms rooms;
    private final LanePumps pumps;
    private final Map<MemoryKind, CudaIpcRoute> routes = new LinkedHashMap<>();
    private final DeadlineWheel.Entry closer = new Closer();
    private boolean known;
    private boolean closing;
    private boolean down;
    private int givingBack;

    CudaIpcLink(
            Engine engine, LinkSender sender, Connection connection, ReentrantLock lock, Rooms rooms, LanePumps pumps) {
        this.engine = engine;
        this.sender = sender;
        this.connection = connection;
        this.lock = lock;
        this.rooms = rooms;
        this.pumps = pumps;
    }

    Engine engine() {
        return engine;
    }

    LinkSender sender() {
        return sender;
    }

    Connection connection() {
        return connection;
    }

    Rooms rooms() {
        return rooms;
    }

    PeerZones zones() {
        return rooms.zones();
    }

    LanePumps pumps() {
        return pumps;
    }

    boolean isKnown() {
        return known;
    }

    boolean isDown() {
        return down;
    }

    /** Runs something under the lock. */
    void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** The initial zones of the peer are known, and with them where its tensors land. */
    void zonesKnown() {
        known = true;
        routes.values().forEach(CudaIpcRoute::begin);
    }

    /** Whether the route of a GPU is off, without the lock. */
    boolean isOff(MemoryKind gpu) {
        lock.lock();
        try {
            CudaIpcRoute route = routes.get(gpu);
            return route != null && route.isOff();
        } finally {
            lock.unlock();
        }
    }

    /** Takes a push that a GPU would copy by itself; it goes on with another way if that turns out to be impossible. */
    void take(Push push, GpuMemory gpu) {
        routes.computeIfAbsent(gpu.kind(), kind -> new CudaIpcRoute(this, gpu)).take(push);
    }

    /** Drops a decided push from all queues. */
    void remove(Push push) {
        routes.values().forEach(route -> route.remove(push));
    }

    /** Room in a zone is free again, or the peer wants it back. */
    void roomFreed(PeerZone zone) {
        if (zone.mayRetire()) {
            giveBack(zone);
        } else {
            routes.values().forEach(CudaIpcRoute::serve);
        }
    }

    /** Closes a zone in which nothing of this node is under way, and then tells the peer. */
    void giveBack(PeerZone zone) {
        if (!zones().close(zone)) {
            return;
        }
        routes.values().forEach(route -> route.gone(zone));
        givingBack++;
        engine.cleanUp(() -> {
            boolean closed = close(zone.opened(), zone.token());
            locked(() -> {
                givingBack--;
                if (closed && !down) {
                    sender.answers().retired(zone.id());
                }
            });
        });
    }

    /** False if the driver keeps it open: the peer must not use its memory for anything else. Blocks. */
    boolean close(@Nullable GpuImport opened, long token) {
        try {
            if (opened != null) {
                opened.close();
            }
            engine.opened().closed(token);
            return true;
        } catch (RuntimeException e) {
            log.error("Memory of peer '{}' cannot be closed and stays open", connection.peerName(), e);
            return false;
        }
    }

    /** A zone that could not be opened is of no use. */
    void refuse(ZoneGrant grant) {
        locked(() -> {
            if (!down) {
                sender.answers().retired(grant.zoneId());
            }
        });
    }

    /** The connection ends in order. Without the lock. */
    void closing() {
        locked(() -> {
            closing = true;
            closeUnused();
        });
    }

    /** Whether it ends in order and something is still open. Without the lock. */
    boolean isClosing() {
        lock.lock();
        try {
            return closing && (givingBack > 0 || !zones().opened().isEmpty());
        } finally {
            lock.unlock();
        }
    }

    private void closeUnused() {
        if (down) {
            return;
        }
        if (engine.pushes().hasSomeOf(sender)) {
            engine.wheel().arm(closer, LOOK_NANOS);
            return;
        }
        List.copyOf(zones().opened()).forEach(this::giveBack);
    }

    /** The connection is down: copies under way end by themselves, and nothing new begins. */
    void down() {
        down = true;
        routes.values().forEach(CudaIpcRoute::clear);
        List.copyOf(zones().opened()).forEach(this::closeIfIdle);
    }

    /** After the end of the connection. */
    void closeIfIdle(PeerZone zone) {
        if (zone.copies == 0 && zones().opened().remove(zone)) {
            engine.cleanUp(() -> close(zone.opened(), zone.token()));
        }
    }

    /** Why pushes that were under way start anew. */
    ConnectionException cause() {
        ConnectionException failure = connection.failure();
        return failure != null
                ? failure
                : new ConnectionException(
                        ConnectionException.Kind.LOST,
                        connection.peerName(),
                        "The connection to peer '" + connection.peerName() + "' was closed");
    }

    /** Without the lock. */
    List<CudaIpcStatus> status() {
        List<CudaIpcStatus> all = new ArrayList<>();
        locked(() -> routes.values().forEach(route -> all.add(route.status())));
        return all;
    }

    /** Looks again whether the last push has ended. */
    private final class Closer extends DeadlineWheel.Entry {

        @Override
        void expired() {
            locked(CudaIpcLink.this::closeUnused);
        }
    }
}

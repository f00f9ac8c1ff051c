package io.tensorfabric.testing;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionHandler;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.RemoteGrant;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryRegionPool;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Opens one zone to every peer and remembers what it is told. Thread-safe. */
public class RecordingHandler implements ConnectionHandler {

    /** Bytes of the zone that is opened to every peer. */
    public static final int ZONE_BYTES = 64 * 1024;

    /**
     * A message that came.
     *
     * @param connection on which connection
     * @param lane on which lane
     * @param type its type
     * @param body a copy of its body
     */
    public record Message(Connection connection, int lane, int type, byte[] body) {}

    /** Something that is held for a connection. */
    private record Held(BufferLease lease, List<RemoteGrant> grants) {}

    private final MemoryRegionPool pool;
    private final AtomicInteger zoneIds = new AtomicInteger();
    private final Map<String, List<Held>> held = new ConcurrentHashMap<>();
    private final Map<String, List<ZoneGrant>> peerZones = new ConcurrentHashMap<>();
    private final List<Message> messages = Collections.synchronizedList(new ArrayList<>());
    private final List<Integer> immediates = Collections.synchronizedList(new ArrayList<>());
    private final List<Connection> ups = new CopyOnWriteArrayList<>();
    private final List<Connection> downs = new CopyOnWriteArrayList<>();
    private final AtomicInteger readies = new AtomicInteger();
    private volatile @Nullable Runnable onReady;
    private volatile Runnable onUp = () -> {};
    private volatile boolean opensNothing;

    /** Zones come from that pool. */
    public RecordingHandler(MemoryRegionPool pool) {
        this.pool = pool;
    }

    @Override
    public List<ZoneGrant> openZones(Connection connection) {
        held.put(connection.id(), new CopyOnWriteArrayList<>());
        return opensNothing ? List.of() : List.of(open(connection, ZONE_BYTES, false));
    }

    @Override
    public ZoneGrant openZone(Connection connection, long bytes) {
        return open(connection, bytes, true);
    }

    private ZoneGrant open(Connection connection, long bytes, boolean dedicated) {
        BufferLease lease = pool.acquire(bytes, "landing zone");
        Held one = new Held(lease, new CopyOnWriteArrayList<>());
        held.get(connection.id()).add(one);
        RemoteGrant grant = connection.grant(lease, Duration.ofSeconds(2));
        one.grants().add(grant);
        List<Integer> rkeys = new ArrayList<>();
        for (Lane lane : connection.lanes()) {
            rkeys.add(grant.rkey(lane.index()));
        }
        return new ZoneGrant(zoneIds.getAndIncrement(), grant.address(), grant.length(), "host", rkeys, dedicated);
    }

    @Override
    public void zonesOpened(Connection connection, List<ZoneGrant> zones) {
        peerZones.put(connection.id(), List.copyOf(zones));
    }

    @Override
    public void up(Connection connection) {
        ups.add(connection);
        onUp.run();
    }

    @Override
    public void received(Connection connection, Lane lane, int type, ByteBuffer body) {
        byte[] copy = new byte[body.remaining()];
        body.get(copy);
        messages.add(new Message(connection, lane.index(), type, copy));
    }

    @Override
    public void immediate(Connection connection, Lane lane, int immediate, int bytes) {
        immediates.add(immediate);
    }

    @Override
    public void ready(Lane lane) {
        readies.incrementAndGet();
        Runnable callback = onReady;
        if (callback != null) {
            callback.run();
        }
    }

    @Override
    public void down(Connection connection) {
        List<Held> gone = held.remove(connection.id());
        if (gone != null) {
            gone.forEach(one -> {
                one.grants().forEach(RemoteGrant::close);
                one.lease().close();
            });
        }
        downs.add(connection);
    }

    /** Runs something whenever a connection comes up. */
    public void onUp(Runnable action) {
        onUp = action;
    }

    /** First byte of the zone that was opened to the peer of a connection. */
    public long zoneAddress(Connection connection) {
        return held.get(connection.id()).get(0).lease().address();
    }

    /** The zones that the peer opened. */
    public List<ZoneGrant> zonesOf(Connection connection) {
        return peerZones.get(connection.id());
    }

    /** Messages in the order in which they came. */
    public List<Message> messages() {
        synchronized (messages) {
            return List.copyOf(messages);
        }
    }

    /** Immediates in the order in which they came. */
    public List<Integer> immediates() {
        synchronized (immediates) {
            return List.copyOf(immediates);
        }
    }

    /** Connections that came up. */
    public List<Connection> ups() {
        return ups;
    }

    /** Connections that went down. */
    public List<Connection> downs() {
        return downs;
    }

    /** How often a lane was said to be ready. */
    public int readies() {
        return readies.get();
    }

    /** Opens no zone to peers that connect from now on. */
    public void openNothing() {
        opensNothing = true;
    }

    /** Calls this on the poller thread whenever a lane is ready. */
    public void onReady(Runnable callback) {
        onReady = callback;
    }
}

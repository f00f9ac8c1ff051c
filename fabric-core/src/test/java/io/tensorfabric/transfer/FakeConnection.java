package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.LanePurpose;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.connection.QueuePairStatus;
import io.tensorfabric.connection.RegionRequest;
import io.tensorfabric.connection.RemoteGrant;
import io.tensorfabric.connection.SharedMemoryRequest;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.verbs.AccessFlag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** One end of a connection in memory. */
final class FakeConnection implements Connection {

    private final String id;
    private final FakeNode node;
    private final FakeNode other;
    private final List<Lane> lanes = new ArrayList<>();
    private final AtomicInteger keys = new AtomicInteger(1000);
    private final Map<Integer, BufferLease> grants = new ConcurrentHashMap<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile ConnectionState state = ConnectionState.NEGOTIATING;
    private volatile ConnectionException failure;
    FakeConnection peer;

    FakeConnection(String id, FakeNode node, FakeNode other, int bulkLanes) {
        this.id = id;
        this.node = node;
        this.other = other;
        lanes.add(new FakeLane(this, 0, LanePurpose.CONTROL));
        for (int i = 1; i <= bulkLanes; i++) {
            lanes.add(new FakeLane(this, i, LanePurpose.BULK));
        }
    }

    FakeNode node() {
        return node;
    }

    FakeLane lane(int index) {
        return (FakeLane) lanes.get(index);
    }

    void state(ConnectionState value) {
        state = value;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public NodeIdentity peer() {
        return new NodeIdentity(other.nodeId(), other.incarnation);
    }

    @Override
    public String peerName() {
        return other.name();
    }

    @Override
    public Set<PeerRight> rights() {
        return EnumSet.allOf(PeerRight.class);
    }

    @Override
    public ConnectionState state() {
        return state;
    }

    @Override
    public List<Lane> lanes() {
        return lanes;
    }

    @Override
    public List<QueuePairStatus> queuePairs() {
        return List.of();
    }

    @Override
    public int mtu() {
        return 4096;
    }

    @Override
    public RemoteGrant grant(BufferLease lease, Set<AccessFlag> remote, Duration timeout) {
        int base = keys.getAndAdd(lanes.size());
        for (int lane = 0; lane < lanes.size(); lane++) {
            grants.put(base + lane, lease);
        }
        long address = lease.address();
        long length = lease.length();
        return new RemoteGrant() {
            @Override
            public long address() {
                return address;
            }

            @Override
            public long length() {
                return length;
            }

            @Override
            public int rkey(int lane) {
                return base + lane;
            }

            @Override
            public void close() {
                for (int lane = 0; lane < lanes.size(); lane++) {
                    grants.remove(base + lane);
                }
            }
        };
    }

    /** Whether the other end may write here. */
    boolean permits(int rkey, long address, long length) {
        BufferLease lease = grants.get(rkey);
        return lease != null && address >= lease.address() && address + length <= lease.address() + lease.length();
    }

    @Override
    public ZoneGrant requestZone(long bytes, SharedMemoryRequest shared, Duration timeout) {
        if (node.faults.refuseZones) {
            throw new ConnectionException(ConnectionException.Kind.UNREACHABLE, other.name(), "No answer");
        }
        node.faults.zoneAsked();
        return shared == null
                ? other.transfers().openZone(peer, bytes)
                : other.transfers().openSharedZone(peer, bytes, shared);
    }

    @Override
    public ZoneGrant requestRegion(RegionRequest region, Duration timeout) {
        return other.transfers().openRegion(peer, region);
    }

    @Override
    public boolean pollUntil(BooleanSupplier done, long nanos) {
        return done.getAsBoolean();
    }

    @Override
    public void fail(ConnectionException cause) {
        end(cause);
        peer.end(new ConnectionException(
                ConnectionException.Kind.LOST, peer.peerName(), "The connection was lost", cause.status(), null));
    }

    /** Takes the connection down at this end, in the background. */
    void end(ConnectionException cause) {
        if (ended.compareAndSet(false, true)) {
            failure = cause;
            state = ConnectionState.DOWN;
            node.negotiation.execute(() -> {
                lanes.forEach(lane -> ((FakeLane) lane).flush());
                peer.lanes.forEach(lane -> ((FakeLane) lane).awaitQuiet());
                grants.clear();
                node.transfers().down(this);
            });
        }
    }

    @Override
    public ConnectionException failure() {
        return failure;
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection. Its state moves forward only; whoever moves it to DRAINING because of a failure has it torn down on the
 * teardown threads ({@link Teardown}), once.
 */
final class FabricConnection implements Connection {

    private static final Logger LOG = LoggerFactory.getLogger(FabricConnection.class);

    private final FabricServices services;
    private final String id;
    private final boolean initiator;
    private final NodeIdentity peer;
    private final Deadline negotiationDeadline;
    private final LaneSet lanes;
    private final Handshake handshake;
    private final GrantBook grants;
    private final HandlerCalls calls;
    private final UseClock use;
    private final AtomicBoolean teardown = new AtomicBoolean();
    private final CompletableFuture<Connection> whenUp = new CompletableFuture<>();
    private final CompletableFuture<Void> whenDown = new CompletableFuture<>();
    private volatile ConnectionState state = ConnectionState.NEGOTIATING;
    private volatile @Nullable ConnectionException failure;
    private volatile int mtu;
    private volatile long lastHeard = System.nanoTime();
    private volatile boolean quiet;
    private volatile boolean wasUp;
    private volatile long upSince;

    FabricConnection(
            FabricServices services,
            String id,
            boolean initiator,
            NodeIdentity peer,
            PathDecision path,
            int laneCount,
            Deadline negotiationDeadline) {
        this.services = services;
        this.id = id;
        this.initiator = initiator;
        this.peer = peer;
        this.negotiationDeadline = negotiationDeadline;
        this.lanes = new LaneSet(this, services, path, laneCount);
        this.use = new UseClock(lanes.poller());
        this.handshake = new Handshake(id, laneCount, initiator);
        this.calls = new HandlerCalls(this, services.handler());
        FabricDevice device = services.device();
        this.grants = new GrantBook(device.protectionDomain(), device.usesMemoryWindows(), peer.nodeId());
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public NodeIdentity peer() {
        return peer;
    }

    @Override
    public String peerName() {
        return services.peers().nameOf(peer.nodeId());
    }

    @Override
    public Set<PeerRight> rights() {
        return lanes.rights();
    }

    @Override
    public ConnectionState state() {
        return state;
    }

    boolean isUp() {
        return state == ConnectionState.UP;
    }

    /** Whether it is UP and its users know. */
    boolean isReady() {
        return state == ConnectionState.UP && whenUp.isDone();
    }

    /** Whether users may send: UP, or closing in order with work in flight. */
    boolean takesWork() {
        ConnectionState now = state;
        return now == ConnectionState.UP
                || (now == ConnectionState.DRAINING && wasUp && failure == null && !teardown.get());
    }

    /** When it moved something for its users. */
    UseClock use() {
        return use;
    }

    boolean isHalfOpen() {
        return state.compareTo(ConnectionState.PROBING) <= 0;
    }

    boolean isInitiator() {
        return initiator;
    }

    /** Whether it was ever UP. */
    boolean wasUp() {
        return wasUp;
    }

    /** {@link System#nanoTime} of when it came UP. */
    long upSince() {
        return upSince;
    }

    Deadline negotiationDeadline() {
        return negotiationDeadline;
    }

    LaneSet laneSet() {
        return lanes;
    }

    Handshake handshake() {
        return handshake;
    }

    HandlerCalls calls() {
        return calls;
    }

    GrantBook grants() {
        return grants;
    }

    Logger log() {
        return LOG;
    }

    @Override
    public List<Lane> lanes() {
        return lanes.view();
    }

    QueuePairLane lane(int index) {
        return lanes.lanes().get(index);
    }

    /** The lane of a queue pair number. */
    @Nullable QueuePairLane laneOf(int number) {
        List<QueuePairLane> all = lanes.lanes();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).number() == number) {
                return all.get(i);
            }
        }
        return null;
    }

    @Override
    public List<QueuePairStatus> queuePairs() {
        return lanes.describe();
    }

    @Override
    public int mtu() {
        return mtu;
    }

    void setMtu(Mtu value) {
        mtu = value.bytes();
    }

    @Override
    public RemoteGrant grant(BufferLease lease, Set<AccessFlag> remote, Duration timeout) {
        if (services.device().isPollerThread()) {
            throw new IllegalStateException("A grant waits for the device, so it cannot be made on a poller thread");
        }
        if (state == ConnectionState.DRAINING || state == ConnectionState.DOWN) {
            throw lost("it is " + state, failure);
        }
        return grants.grant(lanes.lanes(), lease, remote, Deadline.in(timeout));
    }

    @Override
    public ZoneGrant requestZone(long bytes, @Nullable SharedMemoryRequest shared, Duration timeout) {
        return services.peers().openZone(this, new ZoneRequest(services.self(), bytes, shared, null), timeout);
    }

    @Override
    public ZoneGrant requestRegion(RegionRequest region, Duration timeout) {
        return services.peers().openZone(this, new ZoneRequest(services.self(), 0, null, region), timeout);
    }

    /** All work of users has ended, as far as the device is concerned. */
    boolean isIdle() {
        List<QueuePairLane> all = lanes.lanes();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).userTransmissions() > 0) {
                return false;
            }
        }
        return true;
    }

    /** Ends when it is UP and its users know, or with the reason why it will not be. */
    CompletableFuture<Connection> whenUp() {
        return whenUp;
    }

    /** Ends when it is DOWN and its users know. */
    CompletableFuture<Void> whenDown() {
        return whenDown;
    }

    /** Moves on, unless another state than the given one was entered meanwhile. */
    boolean move(ConnectionState from, ConnectionState to) {
        synchronized (this) {
            if (state != from) {
                return false;
            }
            state = to;
            if (to == ConnectionState.UP) {
                wasUp = true;
                upSince = System.nanoTime();
                lastHeard = upSince;
                use.start();
            }
        }
        services.observer().stateChanged(this, from, to);
        return true;
    }

    /** Enters DRAINING from any earlier state; false if it was DRAINING or DOWN. */
    boolean drain() {
        ConnectionState from = state;
        while (from != ConnectionState.DRAINING && from != ConnectionState.DOWN) {
            if (move(from, ConnectionState.DRAINING)) {
                return true;
            }
            from = state;
        }
        return false;
    }

    /** Both ends agree: moves to UP and tells the handler, then lets through what came early. */
    boolean goUp() {
        if (!move(ConnectionState.PROBING, ConnectionState.UP)) {
            return false;
        }
        LOG.info(
                "Connected to {} ({}): {} lanes, MTU {}, connection {}",
                peerName(),
                peer.nodeId(),
                lanes.count(),
                mtu,
                id);
        try {
            calls.up();
        } catch (RuntimeException e) {
            LOG.error("The handler of connections failed on {}", id, e);
        }
        ReceiveQueue queue = lanes.receiveQueue();
        if (queue != null) {
            lanes.poller().execute(queue::openGate);
        }
        whenUp.complete(this);
        return true;
    }

    @Override
    public void fail(ConnectionException cause) {
        synchronized (this) {
            if (state == ConnectionState.DOWN || failure != null) {
                return;
            }
            // What closes in order and has nothing left in flight may lose its peer first.
            if (state != ConnectionState.DRAINING || !isIdle()) {
                failure = cause;
            }
        }
        if (wasUp && !quiet && failure != null) {
            LOG.warn("The connection to {} ({}) is lost: {}", peerName(), id, cause.getMessage());
        } else {
            LOG.debug("Connection {} ends", id, cause);
        }
        drain();
        handshake.done().completeExceptionally(cause);
        startTeardown();
    }

    /** Fails without a line in the log: another connection takes its place, or its failure is reported elsewhere. */
    void failQuietly(ConnectionException cause) {
        quiet = true;
        fail(cause);
    }

    /** Takes it apart; called again, it does nothing. */
    void startTeardown() {
        if (teardown.compareAndSet(false, true)) {
            services.executors().teardown().execute(new Teardown(this, services));
        }
    }

    @Override
    public @Nullable ConnectionException failure() {
        return failure;
    }

    ConnectionException lost(String why, @Nullable Throwable cause) {
        return new ConnectionException(
                Kind.LOST, peerName(), "The connection to " + peerName() + " is lost: " + why, null, cause);
    }

    ConnectionException malformed(String why) {
        return new ConnectionException(
                Kind.MALFORMED,
                peerName(),
                "The connection to " + peerName() + " ends: " + why + ". Run the same version on both nodes");
    }

    /** A work request or receive failed; the first one is the connection's end, those after it are its echo. */
    void workFailed(String what, int statusCode, int vendorError) {
        WorkCompletionStatus status = WorkCompletionStatus.ofCode(statusCode);
        if (failure != null || teardown.get() || state == ConnectionState.DOWN) {
            LOG.debug("{} of {}: {} (vendor error {})", what, id, status, vendorError);
            return;
        }
        fail(failed(what, status, vendorError));
    }

    private ConnectionException failed(String what, WorkCompletionStatus status, int vendorError) {
        return new ConnectionException(
                Kind.LOST,
                peerName(),
                "The connection to " + peerName() + " is lost: " + what + " on "
                        + services.device().deviceName() + " ended with " + status + " (vendor error " + vendorError
                        + "). " + status.cause() + " " + status.remedy(),
                status,
                null);
    }

    @Override
    public boolean pollUntil(BooleanSupplier done, long nanos) {
        return lanes.poller().pollUntil(done, nanos);
    }

    @Override
    public boolean afterBatch(Runnable task) {
        return lanes.poller().afterBatch(task);
    }

    /** The peer showed life. */
    void heard() {
        lastHeard = System.nanoTime();
    }

    long nanosSinceHeard() {
        return System.nanoTime() - lastHeard;
    }

    /** A message of the connection itself came. Poller thread. */
    void ownMessage(QueuePairLane lane, int type, ByteBuffer body) {
        switch (type) {
            case MessageTypes.HELLO, MessageTypes.HELLO_ACK -> greeted(lane, type, body);
            case MessageTypes.GOODBYE ->
                services.executors().callbacks().execute(() -> new OrderlyClose(this, services).peerSaidGoodbye());
            default -> LOG.trace("{}: message {} on lane {}", id, type, lane.index());
        }
    }

    private void greeted(QueuePairLane lane, int type, ByteBuffer body) {
        int expected = initiator ? MessageTypes.HELLO_ACK : MessageTypes.HELLO;
        if (type != expected || !handshake.greeted(lane.index(), body)) {
            fail(malformed("a greeting on lane " + lane.index() + " belongs to another connection"));
        }
    }

    @Override
    public String toString() {
        return "Connection[" + id + ", peer=" + peer.nodeId() + ", state=" + state + "]";
    }
}

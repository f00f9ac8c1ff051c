package io.tensorfabric.connection;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SharedReceiveQueue;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a connection with their queue pairs, receive queue and memory. Made and taken apart by one thread at a time;
 * what it tells may be read by all.
 */
final class LaneSet {

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Enough for a small transfer's header; more makes work requests larger on most devices. */
    private static final int INLINE_BYTES = 220;

    private static final int MAX_READS = 16;

    private final FabricConnection connection;
    private final FabricDevice device;
    private final ConnectionOptions options;
    private final CompletionPoller poller;
    private final QueuePairSteps steps;
    private final Set<PeerRight> rights;
    private final int count;
    private final int receives;
    private final List<QueuePairLane> lanes = new CopyOnWriteArrayList<>();
    private final int[] psns;
    private volatile List<Lane> view = List.of();
    private final StateLog states = new StateLog();
    private final StateLog peerStates = new StateLog();
    private volatile List<LaneOffer> peers = List.of();
    private @Nullable ReceiveQueue receiveQueue;
    private boolean reserved;
    private boolean ready;

    /** Nothing is made any more; guarded by this, which is held while something is made. */
    private boolean ended;

    LaneSet(FabricConnection connection, FabricServices services, PathDecision path, int count) {
        this.connection = connection;
        this.device = services.device();
        this.options = services.options();
        this.poller = device.nextPoller();
        this.rights = Set.copyOf(services.policy().rightsOf(connection.peer().nodeId()));
        this.count = count;
        this.receives = count * options.receiveCredits();
        this.psns = RANDOM.ints(count, 0, 1 << 24).toArray();
        int reads = Math.min(
                MAX_READS,
                Math.min(
                        device.attributes().maxReadsAsInitiator(),
                        device.attributes().maxReadsAsTarget()));
        this.steps = new QueuePairSteps(options.link(), path, Math.max(1, reads));
    }

    CompletionPoller poller() {
        return poller;
    }

    PathDecision path() {
        return steps.path();
    }

    /** RDMA READs that each lane serves at a time. */
    int reads() {
        return steps.reads();
    }

    /** What the peer may do to this node. */
    Set<PeerRight> rights() {
        return rights;
    }

    /** What a queue pair lets a peer of these rights do. */
    private static Set<AccessFlag> access(Set<PeerRight> rights) {
        Set<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
        if (rights.contains(PeerRight.PUSH) || rights.contains(PeerRight.PUBLISH)) {
            access.add(AccessFlag.REMOTE_WRITE);
        }
        if (rights.contains(PeerRight.PULL)) {
            access.add(AccessFlag.REMOTE_READ);
        }
        return access;
    }

    int count() {
        return count;
    }

    List<QueuePairLane> lanes() {
        return lanes;
    }

    /** The lanes as users see them. */
    List<Lane> view() {
        return view;
    }

    /** Makes everything, up to INIT. What was made before a failure is closed by the teardown. */
    void create(NegotiationSteps negotiation, FabricServices services) {
        negotiation.run("reserving completion queue entries", () -> unlessEnded(this::reserve));
        negotiation.run("creating the shared receive queue", () -> unlessEnded(() -> createReceiveQueue(services)));
        for (int i = 0; i < count; i++) {
            int index = i;
            negotiation.run(
                    "creating the queue pair of lane " + i, () -> unlessEnded(() -> createLane(services, index)));
            negotiation.run(
                    "RESET -> INIT of lane " + i,
                    () -> steps.toInit(lanes.get(index).queuePair(), access(rights)));
            states.add(i, QueuePairState.INIT, "waiting for the peer");
        }
    }

    /**
     * Runs a step that makes something. The peer may ask for another connection, or the service may stop, while this one is
     * being made: what a step made after the teardown had looked would stay for ever.
     */
    private synchronized void unlessEnded(Runnable step) {
        if (ended) {
            throw new ConnectionException(
                    ConnectionException.Kind.CLOSED,
                    connection.peerName(),
                    "The connection to " + connection.peerName() + " was closed while it was being made");
        }
        step.run();
    }

    /** Waits for the step in progress and refuses further ones. */
    synchronized void end() {
        ended = true;
    }

    private void reserve() {
        if (!poller.receiveBudget().tryAcquire(receives)) {
            throw limit("receives", poller.receiveBudget(), "fabric.completion.receive-entries");
        }
        if (!poller.sendBudget().tryAcquire(count)) {
            poller.receiveBudget().release(receives);
            throw limit("sends", poller.sendBudget(), "fabric.completion.send-entries");
        }
        reserved = true;
    }

    private ConnectionException limit(String what, CompletionBudget budget, String option) {
        return new ConnectionException(
                ConnectionException.Kind.LIMIT,
                connection.peerName(),
                "The completion queue for " + what + " has " + budget.used() + " of " + budget.capacity()
                        + " entries in use, too many for another connection: raise " + option
                        + ", or close connections");
    }

    private void createReceiveQueue(FabricServices services) {
        try (Undo undo = new Undo()) {
            SharedReceiveQueue queue = undo.add(device.protectionDomain().createSharedReceiveQueue(receives, 1));
            BufferLease memory = undo.add(services.lease((long) receives * MessageHeader.SLOT));
            ReceiveQueue made = new ReceiveQueue(connection, poller, queue, memory, receives, count);
            receiveQueue = made;
            undo.keep();
            made.start();
        }
    }

    private void createLane(FabricServices services, int index) {
        ReceiveQueue receive = receiveQueue;
        if (receive == null) {
            throw new IllegalStateException("The receive queue is made first");
        }
        LanePurpose purpose = index == 0 ? LanePurpose.CONTROL : LanePurpose.BULK;
        int depth = options.depth(purpose);
        int buffers = Math.min(depth, options.receiveCredits()) + QueuePairLane.INTERNAL_REQUESTS;
        QueuePairCapabilities sizes = new QueuePairCapabilities(
                depth + QueuePairLane.INTERNAL_REQUESTS + QueuePairLane.MARKER_REQUESTS,
                0,
                1,
                1,
                Math.min(INLINE_BYTES, device.attributes().maxInlineData()));
        QueuePairOptions queuePairOptions = QueuePairOptions.reliableConnected(poller.sendQueue(), sizes)
                .withReceiveQueue(poller.receiveQueue())
                .withSharedReceiveQueue(receive.queue());
        try (Undo undo = new Undo()) {
            BufferLease memory = undo.add(services.lease((long) buffers * MessageHeader.SLOT));
            QueuePair queuePair = undo.add(device.protectionDomain().createQueuePair(queuePairOptions));
            lanes.add(new QueuePairLane(
                    connection,
                    index,
                    purpose,
                    queuePair,
                    poller,
                    new SendBuffers(memory, buffers),
                    depth,
                    options.receiveCredits()));
            undo.keep();
        }
        view = List.copyOf(lanes);
        states.add(index, QueuePairState.RESET, "created");
    }

    /** What the peer must know of the lanes. */
    List<LaneOffer> offers() {
        List<LaneOffer> offers = new ArrayList<>();
        for (QueuePairLane lane : lanes) {
            offers.add(new LaneOffer(
                    lane.index(),
                    lane.purpose(),
                    lane.number(),
                    psns[lane.index()],
                    options.receiveCredits(),
                    lane.queuePair().providerAddress()));
        }
        return offers;
    }

    /** Connects the lanes to the peer's, up to RTS. */
    void connect(NegotiationSteps negotiation, List<LaneOffer> offers, PathOffer peer, Mtu mtu) {
        peers = List.copyOf(offers);
        Gid gid = Gid.parse(peer.gid());
        Integer told = peer.reads();
        int peerReads = told != null ? told : 1;
        for (QueuePairLane lane : lanes) {
            LaneOffer offer = offers.get(lane.index());
            lane.credits().start(offer.receiveCredits());
            negotiation.run(
                    "INIT -> RTR of lane " + lane.index(),
                    () -> steps.toRtr(
                            lane.queuePair(), mtu, gid, peer.lid(), offer.qpn(), offer.psn(), offer.providerAddress()));
            states.add(lane.index(), QueuePairState.RTR, "the peer's lane is known");
            negotiation.run(
                    "RTR -> RTS of lane " + lane.index(),
                    () -> steps.toRts(lane.queuePair(), psns[lane.index()], peerReads));
            states.add(lane.index(), QueuePairState.RTS, "connected");
        }
        ready = true;
    }

    /** Whether the queue pairs have been RTS, so may have work in flight. */
    boolean wasReady() {
        return ready;
    }

    /** The peer told the states of its queue pairs. */
    void setPeerStates(List<QueuePairState> told, String reason) {
        for (int i = 0; i < told.size(); i++) {
            peerStates.add(i, told.get(i), reason);
        }
    }

    /** Own states, by lane, as they travel in the negotiation. */
    List<String> stateNames() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < states.lanes(); i++) {
            names.add(Objects.requireNonNull(states.latest(i)).state().name());
        }
        return names;
    }

    List<QueuePairStatus> describe() {
        List<LaneOffer> offers = peers;
        List<QueuePairStatus> result = new ArrayList<>();
        for (int i = 0; i < states.lanes(); i++) {
            QueuePairLane lane = lanes.get(i);
            QueuePairTransition own = states.latest(i);
            QueuePairTransition peer = peerStates.latest(i);
            if (own != null) {
                result.add(new QueuePairStatus(
                        i,
                        lane.purpose(),
                        lane.number(),
                        own.state(),
                        i < offers.size() ? Integer.valueOf(offers.get(i).qpn()) : null,
                        peer != null ? peer.state() : null,
                        own.time(),
                        own.reason(),
                        states.of(i),
                        peerStates.of(i)));
            }
        }
        return result;
    }

    /** Moves all queue pairs to ERR, which flushes their work. */
    void toError(String reason) {
        for (QueuePairLane lane : lanes) {
            try {
                QueuePairSteps.toError(lane.queuePair());
            } catch (RuntimeException e) {
                connection.log().debug("Lane {} of {} cannot be moved to ERR", lane.index(), connection.id(), e);
            }
            states.add(lane.index(), QueuePairState.ERR, reason);
        }
    }

    @Nullable ReceiveQueue receiveQueue() {
        return receiveQueue;
    }

    /** Gives back the entries of the completion queues; everything else is destroyed. */
    void releaseReservation() {
        if (reserved) {
            reserved = false;
            poller.receiveBudget().release(receives);
            poller.sendBudget().release(count);
        }
    }
}

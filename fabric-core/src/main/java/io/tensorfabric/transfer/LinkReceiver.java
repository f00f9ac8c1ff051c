package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.GroupOffer;
import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.connection.RemoteGrant;
import io.tensorfabric.connection.SharedMemoryRequest;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.PoolExhaustedException;
import io.tensorfabric.memory.cuda.CopyNotEndedException;
import io.tensorfabric.memory.cuda.CudaDriverException;
import io.tensorfabric.memory.cuda.GpuMemory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The receiving half of a link: the zones that this node opened to the peer, and what arrives in them. Thread-safe. */
final class LinkReceiver {

    /** How long a negotiation may wait for memory, and for the device to open it. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** How long it may wait for idle zones to come back from peers: a message there and back. */
    private static final long RETIRE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger logger = LoggerFactory.getLogger(LinkReceiver.class);

    private final Engine engine;
    private final PeerLink link;
    private final Connection connection;
    private final List<GrantedZone> zones = new CopyOnWriteArrayList<>();
    private final DedicatedBudget ownBudget;
    private final DedicatedBudget ownZones;
    private final InboundGroups groups;

    /** For the decoder: lanes may have their own poller threads. */
    private final ReentrantLock lock = new ReentrantLock();

    private final TensorMessage message = new TensorMessage();
    private int nextZone = 1;
    private boolean down;
    private volatile boolean closing;

    LinkReceiver(Engine engine, PeerLink link, Connection connection) {
        this.engine = engine;
        this.link = link;
        this.connection = connection;
        this.ownBudget = new DedicatedBudget(engine.options().maxDedicatedBytesPerPeer());
        this.ownZones = new DedicatedBudget(engine.options().maxDedicatedZonesPerPeer());
        this.groups = new InboundGroups(engine);
    }

    /** Tensors that listeners hear of together. */
    InboundGroups groups() {
        return groups;
    }

    /** Opens the landing zone that every peer gets. */
    ZoneGrant openShared() {
        return open(engine.options().landingZoneSize(), false, () -> {});
    }

    /** Opens a zone for one large tensor at a time. */
    ZoneGrant openDedicated(long bytes) {
        if (bytes <= 0) {
            throw limit("A landing zone of " + bytes + " bytes was asked for");
        }
        checkSize(bytes);
        takeBudget(bytes);
        try {
            return open(bytes, true, () -> giveBudgetBack(bytes));
        } catch (RuntimeException e) {
            giveBudgetBack(bytes);
            throw e;
        }
    }

    /** Opens a zone of GPU memory to the peer's process, which is on the same host: for one large tensor, or for many. */
    ZoneGrant openShared(long bytes, SharedMemoryRequest opener) {
        engine.landings().told(opener);
        GpuMemory gpu = SharedZones.gpu(engine, link.peerName(), opener);
        checkSize(bytes);
        long size = SharedZones.size(bytes > 0 ? bytes : engine.options().landingZoneSize());
        long waiting = engine.landings().bytesOf(link.nodeId());
        if (waiting > ownBudget.limit() - size) {
            throw limit("Of the budget for zones " + waiting + " of " + ownBudget.limit()
                    + " bytes may still be open in processes of this peer whose connections have ended");
        }
        takeBudget(size);
        SharedLanding landing;
        try {
            landing = SharedZones.make(engine, gpu, size, link.nodeId(), opener, () -> giveBudgetBack(size));
        } catch (PoolExhaustedException | CudaDriverException | CopyNotEndedException e) {
            giveBudgetBack(size);
            throw noMemory(
                    e instanceof PoolExhaustedException
                            ? "its pool of host memory is used up"
                            : String.valueOf(e.getMessage()),
                    e);
        } catch (RuntimeException e) {
            giveBudgetBack(size);
            throw e;
        }
        return add(landing, landing.grant(), bytes > 0, () -> {});
    }

    private void checkSize(long bytes) {
        if (bytes > engine.options().maxTensorBytes()) {
            throw limit("A landing zone of " + bytes + " bytes was asked for; tensors have at most "
                    + engine.options().maxTensorBytes() + " bytes here");
        }
    }

    private void takeBudget(long bytes) {
        long start = System.nanoTime();
        while (!tryBudget(bytes)) {
            boolean ownShort = bytes > ownBudget.limit() - ownBudget.used() || ownZones.used() == ownZones.limit();
            boolean mayCome = bytes <= ownBudget.limit() && (ownShort ? askIdleBack(0) : engine.askIdleZonesBack(0));
            if (!mayCome || System.nanoTime() - start > RETIRE_NANOS) {
                throw limit("A landing zone of " + bytes + " bytes was asked for; of the budget for such zones "
                        + ownBudget.used() + " of " + ownBudget.limit() + " bytes in " + ownZones.used() + " of "
                        + ownZones.limit() + " zones are taken by this peer, "
                        + engine.budget().used() + " of " + engine.budget().limit() + " by all");
            }
            try {
                engine.budget().awaitChange(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw limit("Opening a landing zone of " + bytes + " bytes was interrupted");
            }
        }
    }

    private boolean tryBudget(long bytes) {
        if (!ownZones.take(1)) {
            return false;
        }
        if (!ownBudget.take(bytes)) {
            ownZones.giveBack(1);
            return false;
        }
        if (!engine.budget().take(bytes)) {
            ownBudget.giveBack(bytes);
            ownZones.giveBack(1);
            return false;
        }
        return true;
    }

    private void giveBudgetBack(long bytes) {
        ownZones.giveBack(1);
        ownBudget.giveBack(bytes);
        engine.budget().giveBack(bytes);
    }

    private ZoneGrant open(long bytes, boolean dedicated, Runnable freed) {
        BufferLease lease = lease(bytes);
        RemoteGrant grant;
        try {
            grant = connection.grant(lease, PATIENCE);
        } catch (RuntimeException e) {
            lease.close();
            throw e;
        }
        return add(lease, grant, dedicated, freed);
    }

    private ZoneGrant add(BufferLease lease, RemoteGrant grant, boolean dedicated, Runnable freed) {
        GrantedZone zone;
        boolean late;
        lock.lock();
        try {
            zone = new GrantedZone(
                    nextZone++, link.peerName(), lease, engine.memory().landing(), grant, dedicated, freed);
            late = down;
            if (!late) {
                zones.add(zone);
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            if (lease instanceof SharedLanding landing) {
                landing.closedByPeer();
            }
            zone.end();
            throw new ConnectionException(
                    ConnectionException.Kind.LOST, link.peerName(), "The connection went down while a zone was opened");
        }
        return zone.describe(connection).withLanding(engine.landing().offer().withGroups(groupOffer()));
    }

    private GroupOffer groupOffer() {
        return new GroupOffer(
                engine.options().maxDedicatedBytesPerPeer(), engine.options().maxDedicatedZonesPerPeer());
    }

    /** A number for what is granted beside landing zones, used once. */
    int takeZoneId() {
        lock.lock();
        try {
            return nextZone++;
        } finally {
            lock.unlock();
        }
    }

    private BufferLease lease(long bytes) {
        try {
            return engine.memory().acquireZone(bytes, "landing zone of peer '" + link.peerName() + "'", PATIENCE);
        } catch (PoolExhaustedException e) {
            // Who else is here, and holds what, is for this node's operator and not for the peer.
            logger.warn("No memory for a landing zone of peer '{}': {}", link.peerName(), e.getMessage());
            throw noMemory(
                    "its pool has no room for " + bytes + " bytes now, at most for " + e.largestFree()
                            + ". Its log says who holds the rest",
                    e);
        } catch (CudaDriverException e) {
            throw noMemory(String.valueOf(e.getMessage()), e);
        }
    }

    private ConnectionException noMemory(String why, RuntimeException cause) {
        return new ConnectionException(
                ConnectionException.Kind.LIMIT,
                link.peerName(),
                "The receiver has no memory for a landing zone: " + why,
                null,
                cause);
    }

    private ConnectionException limit(String message) {
        return new ConnectionException(ConnectionException.Kind.LIMIT, link.peerName(), message);
    }

    /** A TENSOR message came; on a poller thread. */
    void tensor(ByteBuffer body) {
        InboundTransfer transfer;
        lock.lock();
        try {
            message.read(body);
            transfer = arrive();
        } finally {
            lock.unlock();
        }
        if (transfer != null) {
            take(transfer);
        }
    }

    private @Nullable InboundTransfer arrive() {
        if (down) {
            return null;
        }
        if (!engine.landing().offers(message.landing())) {
            throw new ProtocolViolation("a tensor is to land in memory that was not offered");
        }
        TensorGroup together = message.group();
        InboundGroup group = together == null ? null : groups.arrived(together);
        if (message.length() == 0) {
            if (message.zoneId() != 0 || message.offset() != 0) {
                throw new ProtocolViolation("an empty tensor claims room");
            }
            return new InboundTransfer(engine, link, message, null, 0, group);
        }
        GrantedZone zone = find(message.zoneId());
        long address = zone == null ? 0 : zone.open(message.offset(), message.length());
        if (zone == null || address == 0) {
            throw new ProtocolViolation("a tensor lies outside the zones that were granted to this peer");
        }
        return new InboundTransfer(engine, link, message, zone, address, group);
    }

    private @Nullable GrantedZone find(int id) {
        for (GrantedZone zone : zones) {
            if (zone.id() == id) {
                return zone;
            }
        }
        return null;
    }

    private void take(InboundTransfer transfer) {
        if (!connection.rights().contains(PeerRight.PUSH)) {
            // Only an empty tensor comes this far: anything else needs a zone, and none was opened.
            transfer.refuse(RejectCode.NO_LISTENER, "the sender may not push to the receiver");
            return;
        }
        long id = transfer.transferId();
        if (transfer.isOfGroup() && link.ledger().isAlone(id)) {
            transfer.goesAlone();
        }
        Object before = link.ledger().begin(id, transfer);
        if (before instanceof InboundTransfer first && !first.isFrom(link) && first.withdraw()) {
            before = link.ledger().begin(id, transfer);
        }
        if (before != null) {
            engine.log().duplicate();
            transfer.close();
            answerAgain(transfer, before);
        } else if (engine.refusesArrivals()) {
            transfer.refuse(RejectCode.SHUTTING_DOWN, "the receiver is shutting down");
        } else {
            offer(transfer);
        }
    }

    private void offer(InboundTransfer transfer) {
        ListenerRegistry.Listener listener =
                engine.listeners().find(transfer.tensor().name(), link.peerName());
        if (listener == null) {
            transfer.refuse(RejectCode.NO_LISTENER, "the receiver has no listener for this name and sender");
        } else if (listener.isPaused()) {
            transfer.refuse(RejectCode.BUSY, "the receiver's listener is paused");
        } else if (!engine.inbox().offer(transfer)) {
            transfer.refuse(RejectCode.BUSY, "too many tensors wait for listeners at the receiver");
        }
    }

    private void answerAgain(InboundTransfer duplicate, Object before) {
        long id = duplicate.transferId();
        if (before instanceof InboundTransfer first) {
            first.answerTo(link);
            return;
        }
        ReceiptLevel wanted = duplicate.wanted();
        if (before instanceof SenderLedger.Failed failed && wanted == ReceiptLevel.PROCESSED) {
            link.sender().answers().refuse(id, RejectCode.LISTENER_FAILED, failed.text());
        } else if (wanted != ReceiptLevel.PLACED) {
            link.sender().answers().answer(id, wanted);
        }
    }

    /** The peer gave a dedicated zone back. */
    void retired(int zoneId) {
        GrantedZone zone = find(zoneId);
        SharedLanding shared = zone == null ? null : zone.shared();
        // Tensors may still be in memory that the peer has closed; it knows nothing of rooms in it then.
        if (zone == null || (shared == null && (!zone.isDedicated() || !zone.isUnused()))) {
            throw new ProtocolViolation("the peer gave back a zone that it does not have");
        }
        zones.remove(zone);
        engine.cleanUp(() -> {
            if (shared != null) {
                shared.closedByPeer();
            }
            zone.end();
        });
    }

    /** Asks for dedicated zones that were not used for some time; false if there are none. */
    boolean askIdleBack(long nanos) {
        boolean asked = false;
        for (GrantedZone zone : zones) {
            if (zone.isLent() && zone.isIdle(nanos)) {
                link.sender().answers().askToRetire(zone.id());
                asked = true;
            }
        }
        return asked;
    }

    /** The connection ends in order: the peer closes what it has open. */
    void closing() {
        closing = true;
    }

    /** Whether the peer has yet to close what it has open. */
    boolean awaitsPeer() {
        return closing && zones.stream().anyMatch(zone -> zone.shared() != null);
    }

    /** The peer can no longer write: unused memory goes back at once, the rest when its tensors are closed. */
    void down() {
        lock.lock();
        try {
            down = true;
        } finally {
            lock.unlock();
        }
        groups.close("the connection over which a part of its group came has ended");
        zones.forEach(GrantedZone::end);
        zones.clear();
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.RegionRequest;
import io.tensorfabric.transfer.RegionUse.Operation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The published tensors of the peer of a link that this node has access to, and the transfers that wait for one. Access is asked
 * for once and kept until the peer wants it back, or the connection ends. Guarded by the lock of the link's sender, except
 * where noted.
 */
final class PeerRegions {

    /** Bounds a negotiation with a peer that hangs; each transfer has its own deadline besides. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Engine engine;
    private final Connection connection;
    private final ReentrantLock lock;
    private final LanePumps pumps;
    private final Map<String, PeerRegion> open = new HashMap<>();

    /** Those that the peer wants back and that are still in use. */
    private final List<PeerRegion> leaving = new ArrayList<>();

    /** By the name that is asked for now. */
    private final Map<String, ArrayDeque<Push>> waiting = new HashMap<>();

    /** @param lock of the link's sender */
    PeerRegions(Engine engine, Connection connection, ReentrantLock lock, LanePumps pumps) {
        this.engine = engine;
        this.connection = connection;
        this.lock = lock;
        this.pumps = pumps;
    }

    /** Posts a transfer as soon as this node has access, which may be now. */
    void find(Push push, RegionUse use) {
        PeerRegion region = open.get(use.name());
        if (region != null) {
            begin(push, use, region);
            return;
        }
        push.phase(PushPhase.REGION);
        ArrayDeque<Push> others = waiting.get(use.name());
        if (others != null) {
            others.add(push);
            return;
        }
        ArrayDeque<Push> first = new ArrayDeque<>();
        first.add(push);
        waiting.put(use.name(), first);
        try {
            engine.blocking(() -> ask(use.name()));
        } catch (RejectedExecutionException e) {
            // The node shuts down, which ends the transfer soon.
            waiting.remove(use.name());
        }
    }

    /** On a blocking thread, without the lock. */
    private void ask(String name) {
        PeerRegion region;
        try {
            region = PeerRegion.of(
                    connection.peerName(), name, connection.requestRegion(new RegionRequest(name, null), PATIENCE));
        } catch (ConnectionException e) {
            if (!endIfUnknown(connection, e)) {
                refused(name, e);
            }
            return;
        } catch (RuntimeException e) {
            String message = "Asking for published tensor '" + name + "' failed: " + e.getMessage();
            refused(
                    name,
                    new ConnectionException(
                            ConnectionException.Kind.MALFORMED, connection.peerName(), message, null, e));
            return;
        }
        lock.lock();
        try {
            if (!pumps.isDown()) {
                opened(region);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A peer that knows nothing of a connection has restarted: it ends here too, without waiting for its silence. */
    static boolean endIfUnknown(Connection connection, ConnectionException refusal) {
        if (refusal.kind() != ConnectionException.Kind.NOT_FOUND) {
            return false;
        }
        String message = "The connection to peer '" + connection.peerName()
                + "' is lost: the peer knows nothing of it, so it" + " has probably restarted";
        connection.fail(
                new ConnectionException(ConnectionException.Kind.LOST, connection.peerName(), message, null, refusal));
        return true;
    }

    /** The peer gave access. */
    private void opened(PeerRegion region) {
        open.put(region.name(), region);
        ArrayDeque<Push> served = waiting.remove(region.name());
        if (served == null) {
            return;
        }
        for (Push push : served) {
            RegionUse use = push.region;
            if (use != null) {
                begin(push, use, region);
            }
        }
    }

    /** The peer gives no access, which ends those that waited for it, or their attempt. Without the lock. */
    private void refused(String name, ConnectionException refusal) {
        boolean again = PushFailures.isRecoverable(refusal);
        ArrayDeque<Push> victims;
        lock.lock();
        try {
            victims = pumps.isDown() ? null : waiting.remove(name);
            if (victims == null) {
                return;
            }
            if (again) {
                victims.forEach(Push::leaveLink);
            }
        } finally {
            lock.unlock();
        }
        for (Push victim : victims) {
            if (again) {
                victim.attemptFailed(refusal);
            } else {
                victim.fail(PushFailures.regionRefused(victim, refusal));
            }
        }
    }

    private void begin(Push push, RegionUse use, PeerRegion region) {
        Operation operation = use.operation();
        boolean permitted = operation == Operation.LOOK || (use.isPull() ? region.readable() : region.writable());
        String mismatch = use.mismatch(push.tensor(), region.descriptor());
        if (!permitted || mismatch != null) {
            TransferException refusal = permitted
                    ? PushFailures.mismatch(push, String.valueOf(mismatch))
                    : PushFailures.notPermitted(push, use.isPull() ? "read" : "write into");
            engine.callback(() -> push.fail(refusal));
            return;
        }
        use.found(region.descriptor(), connection);
        if (operation != Operation.PUT && push.bytes() == 0) {
            push.succeed(ReceiptLevel.PLACED);
            push.release();
            return;
        }
        push.zone = region.zone();
        push.offset = use.start();
        pumps.post(push);
    }

    /** No longer looks for access for a transfer. */
    void remove(Push push) {
        RegionUse use = push.region;
        ArrayDeque<Push> others = use == null ? null : waiting.get(use.name());
        if (others != null) {
            others.remove(push);
        }
    }

    /** The connection is down. */
    void clear() {
        open.clear();
        leaving.clear();
        waiting.clear();
    }

    /** The peer wants access back. */
    void retire(int zoneId) {
        for (Iterator<PeerRegion> regions = open.values().iterator(); regions.hasNext(); ) {
            PeerRegion region = regions.next();
            if (region.zone().id() == zoneId) {
                regions.remove();
                leaving.add(region);
            }
        }
        giveBack();
    }

    /** Gives back what the peer wants back and nobody uses any more. */
    void giveBack() {
        if (leaving.isEmpty()) {
            return;
        }
        List<Push> all = engine.pushes().all();
        for (Iterator<PeerRegion> regions = leaving.iterator(); regions.hasNext(); ) {
            PeerZone zone = regions.next().zone();
            if (all.stream().noneMatch(push -> zone.equals(push.zone) && !push.isReleased())) {
                regions.remove();
                pumps.answers().retired(zone.id());
            }
        }
        pumps.pumpAnswers();
    }
}

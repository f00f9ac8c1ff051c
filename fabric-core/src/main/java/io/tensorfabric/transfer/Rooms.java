package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.cuda.GpuMemory;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Room for pushes in the zones that the peer of a link opened: finds it, queues those that wait for it, and takes back what
 * is free again. Guarded by the lock of the link's sender.
 */
final class Rooms {

    private final Engine engine;
    private final PeerZones zones = new PeerZones();
    private final PushQueue queue = PushQueue.smallFirst();
    private final ZoneRequests requests;
    private final LanePumps pumps;
    private final CudaIpcLink ipc;
    private final GroupRooms groups = new GroupRooms(zones);
    private boolean zonesKnown;

    /** @param lock of the link's sender */
    Rooms(Engine engine, LinkSender sender, Connection connection, ReentrantLock lock, LanePumps pumps) {
        this.engine = engine;
        this.requests = new ZoneRequests(engine, sender, connection);
        this.pumps = pumps;
        this.ipc = new CudaIpcLink(engine, sender, connection, lock, this, pumps);
    }

    CudaIpcLink ipc() {
        return ipc;
    }

    PeerZones zones() {
        return zones;
    }

    /** The zones that come with the connection. */
    void opened(List<ZoneGrant> grants) {
        grants.forEach(zones::add);
        zonesKnown = true;
        ipc.zonesKnown();
        queue.drain().forEach(this::find);
    }

    /** Posts a push as soon as there is room for it, which may be now. */
    void find(Push push) {
        LandingKind wish = push.options().landing();
        OutboundGroup group = push.together();
        if ((wish != LandingKind.ANY || group != null) && !zonesKnown) {
            push.phase(PushPhase.ROOM);
            queue.add(push);
            return;
        }
        TransferException failure = refusal(push, wish, group);
        if (failure != null) {
            engine.callback(() -> push.fail(failure));
            return;
        }
        if (group != null && !groups.enters(push, group)) {
            push.phase(PushPhase.ROOM);
            return;
        }
        GpuMemory gpu = push.source.sharing();
        if (gpu != null) {
            ipc.take(push, gpu);
        } else if (push.bytes() == 0) {
            pumps.post(push);
        } else if (!zonesKnown || (!zones.needsDedicated(push.bytes()) && !takeShared(push))) {
            push.phase(PushPhase.ROOM);
            queue.add(push);
        } else if (push.zone != null) {
            pumps.post(push);
        } else {
            push.phase(PushPhase.ROOM);
            requests.add(push);
            serveDedicated();
        }
    }

    private @Nullable TransferException refusal(Push push, LandingKind wish, @Nullable OutboundGroup group) {
        String why = zones.landing().refusal(wish);
        if (why != null) {
            return PushFailures.landing(push, why);
        }
        why = group == null ? null : groups.refusal(group);
        return why == null ? null : PushFailures.group(push, why);
    }

    /** A group needs no room any more. */
    void groupOver(OutboundGroup group) {
        boolean freed = groups.giveBackRooms(group);
        groups.over(group).forEach(this::find);
        if (freed) {
            serveShared();
        }
    }

    private boolean takeShared(Push push) {
        if (groups.reserve(push)) {
            return true;
        }
        if (queue.isBehind(push)) {
            return false;
        }
        OutboundGroup group = push.together();
        if (group == null || groups.hasRooms(group)) {
            // Of a group, only one that is sent again.
            return zones.reserve(push);
        }
        if (!groups.takeRooms(group)) {
            return false;
        }
        postWaiting(group);
        return groups.reserve(push);
    }

    /** Sends members of a group that has taken its room; what is ahead of them may wait for what they have. */
    private void postWaiting(OutboundGroup group) {
        for (Push push : queue.drain(group)) {
            if (groups.reserve(push)) {
                pumps.post(push);
            } else {
                queue.add(push);
            }
        }
    }

    /** No longer looks for room for a push. */
    void remove(Push push) {
        queue.remove(push);
        requests.remove(push);
        groups.remove(push);
        ipc.remove(push);
    }

    /** The connection is down. */
    void clear() {
        queue.clear();
        requests.clear();
        groups.clear();
        ipc.down();
    }

    /** Takes back room that the peer never learnt of. */
    void giveBack(PeerZone zone, long offset) {
        zone.rooms().giveBack(offset);
        freed(zone);
    }

    /** The peer gives room back. */
    void released(int zoneId, long offset, long length) {
        PeerZone zone = zones.find(zoneId);
        if (!zones.release(zoneId, zone, offset, length)) {
            throw new ProtocolViolation("the peer gave back " + length + " bytes at " + offset + " of zone " + zoneId
                    + ", where it has no such room");
        }
        if (zone != null) {
            freed(zone);
        }
    }

    /** The peer wants a lent zone back. It asks again as long as it does not get it. */
    void retire(int zoneId) {
        PeerZone zone = zones.find(zoneId);
        if (zone != null && zone.isLent()) {
            zone.wantRetired();
            freed(zone);
        }
    }

    private void freed(PeerZone zone) {
        if (zone.opened() != null) {
            ipc.roomFreed(zone);
        } else if (zone.isDedicated()) {
            zones.retire(pumps.answers());
            pumps.pumpAnswers();
            serveDedicated();
        } else {
            serveShared();
        }
    }

    private void serveShared() {
        Push first = zonesKnown ? queue.peek() : null;
        while (first != null) {
            OutboundGroup group = first.together();
            if (zones.needsDedicated(first.bytes())) {
                queue.remove(first);
                find(first);
            } else if (group != null && !groups.hasRooms(group)) {
                if (!groups.takeRooms(group)) {
                    return;
                }
                postWaiting(group);
            } else if (zones.reserve(first)) {
                queue.remove(first);
                pumps.post(first);
            } else {
                return;
            }
            first = queue.peek();
        }
    }

    /** Sends large pushes for which there are zones now. */
    void serveDedicated() {
        Push push = requests.serve(zones);
        while (push != null) {
            pumps.post(push);
            push = requests.serve(zones);
        }
    }

    /** A zone that was asked for is there. */
    void granted(ZoneGrant grant) {
        zones.add(grant);
        requests.answered();
        serveDedicated();
    }

    /** A zone that was asked for is refused. Returns the push that cannot do without, which no longer waits here. */
    @Nullable Push refused(ConnectionException refusal) {
        return requests.refused(refusal, zones);
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.connection.ZoneGrant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The zones that the peer of a link opened to this node. Guarded by the lock of the link's sender. */
final class PeerZones {

    private final List<PeerZone> shared = new ArrayList<>();

    private final List<PeerZone> dedicated = new ArrayList<>();

    /** Those that this node has open by itself. */
    private final List<PeerZone> opened = new ArrayList<>();

    /** Numbers of such that are closed, where the peer had tensors: some at the end of a connection, as a rule none. */
    private final Set<Integer> closed = new HashSet<>();

    private long largestShared;

    private final PeerLanding landing = new PeerLanding();

    PeerZone add(ZoneGrant grant) {
        PeerZone zone = new PeerZone(grant);
        landing.add(grant);
        if (zone.isDedicated()) {
            dedicated.add(zone);
        } else {
            shared.add(zone);
            largestShared = Math.max(largestShared, zone.rooms().size());
        }
        return zone;
    }

    /** Bytes of the largest shared zone. */
    long largestShared() {
        return largestShared;
    }

    /** Whether a tensor fits no shared zone even if that is empty. */
    boolean needsDedicated(long bytes) {
        return bytes > largestShared;
    }

    /** Takes room in a shared zone. */
    boolean reserve(Push push) {
        for (int i = 0; i < shared.size(); i++) {
            if (reserve(push, shared.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** Room in a zone that is taken for a push that is yet to come. */
    record Room(PeerZone zone, long offset) {}

    /** Takes room in a shared zone for a push that is yet to come; {@code null} if there is none. */
    @Nullable Room take(long bytes) {
        for (PeerZone zone : shared) {
            long offset = zone.rooms().take(bytes);
            if (offset >= 0) {
                return new Room(zone, offset);
            }
        }
        return null;
    }

    /** Takes the smallest unused dedicated zone that fits. */
    boolean reserveDedicated(Push push) {
        PeerZone best = null;
        for (PeerZone zone : dedicated) {
            boolean fits = zone.rooms().isUnused() && zone.rooms().size() >= push.bytes();
            if (fits && (best == null || zone.rooms().size() < best.rooms().size())) {
                best = zone;
            }
        }
        return best != null && reserve(push, best);
    }

    /** Whether a dedicated zone would fit if it were unused. */
    boolean hasDedicatedFor(long bytes) {
        for (PeerZone zone : dedicated) {
            if (zone.rooms().size() >= bytes) {
                return true;
            }
        }
        return false;
    }

    /** Where tensors land. */
    PeerLanding landing() {
        return landing;
    }

    /** Zones that this node has open by itself. */
    List<PeerZone> opened() {
        return opened;
    }

    /** This node closes one of those; false if it is none of them. The peer may yet give back room there, of tensors it has. */
    boolean close(PeerZone zone) {
        if (!opened.remove(zone)) {
            return false;
        }
        if (!zone.rooms().isUnused()) {
            closed.add(zone.id());
        }
        return true;
    }

    /**
     * The peer gives room back; false if it has none there.
     *
     * @param zone what {@link #find} knows of the number
     */
    boolean release(int id, @Nullable PeerZone zone, long offset, long length) {
        return zone == null ? closed.contains(id) : zone.rooms().release(offset, length);
    }

    static boolean reserve(Push push, PeerZone zone) {
        long offset = zone.rooms().take(push.bytes());
        if (offset < 0) {
            return false;
        }
        push.zone = zone;
        push.offset = offset;
        return true;
    }

    @Nullable PeerZone find(int id) {
        for (int i = 0; i < shared.size(); i++) {
            if (shared.get(i).id() == id) {
                return shared.get(i);
            }
        }
        for (int i = 0; i < dedicated.size(); i++) {
            if (dedicated.get(i).id() == id) {
                return dedicated.get(i);
            }
        }
        for (int i = 0; i < opened.size(); i++) {
            if (opened.get(i).id() == id) {
                return opened.get(i);
            }
        }
        return null;
    }

    /** Forgets dedicated zones that the peer wants back and that are unused. */
    void retire(Answers answers) {
        for (Iterator<PeerZone> zones = dedicated.iterator(); zones.hasNext(); ) {
            PeerZone zone = zones.next();
            if (zone.mayRetire()) {
                zones.remove();
                answers.retired(zone.id());
            }
        }
    }
}

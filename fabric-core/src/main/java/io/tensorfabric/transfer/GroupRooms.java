package io.tensorfabric.transfer;

import io.tensorfabric.connection.GroupOffer;
import io.tensorfabric.connection.LandingOffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which groups may take room in the zones that the peer of a link opened. What a group has there stays taken until all of it
 * has arrived, so that two groups with half of the room each would wait for each other for ever: together they get at most
 * half of the shared zones, and a larger group comes alone. Guarded by the lock of the link's sender.
 */
final class GroupRooms {

    private final PeerZones zones;

    /** Those that may take room, with the bytes that they take in shared zones. */
    private final Map<OutboundGroup, Long> open = new HashMap<>();

    /** Members of groups that may not yet, in order. */
    private final ArrayDeque<Push> waiting = new ArrayDeque<>();

    private long bytes;

    GroupRooms(PeerZones zones) {
        this.zones = zones;
    }

    /** Whether a push may take room now; else it waits here. */
    boolean enters(Push push, OutboundGroup group) {
        if (open.containsKey(group)) {
            return true;
        }
        if (!mayOpen(group) || isBehind(group)) {
            waiting.add(push);
            return false;
        }
        open(group);
        return true;
    }

    private boolean mayOpen(OutboundGroup group) {
        return open.isEmpty() || bytes + group.bytesUpTo(zones.largestShared()) <= zones.largestShared() / 2;
    }

    private boolean isBehind(OutboundGroup group) {
        Push first = waiting.peek();
        return first != null && !group.equals(first.group);
    }

    private void open(OutboundGroup group) {
        long taken = group.bytesUpTo(zones.largestShared());
        open.put(group, taken);
        bytes += taken;
    }

    /** Why the peer cannot hold a whole group, and what to do; {@code null} if it can. */
    @Nullable String refusal(OutboundGroup group) {
        if (!zones.landing().isKnown()) {
            return null;
        }
        LandingOffer landing = zones.landing().offer();
        GroupOffer offer = landing == null ? null : landing.groups();
        if (offer == null) {
            return "the peer runs a version that does not know groups. Run the version of this node there, or push them one"
                    + " by one";
        }
        long zone = zones.largestShared();
        long shared = group.bytesUpTo(zone);
        if (shared > zone) {
            return "its tensors need " + shared + " bytes of the peer's landing zone at once, which has " + zone
                    + ". Raise 'fabric.landing.zone-size' at the peer, or push fewer at once";
        }
        long large = group.bytesAbove(zone);
        int count = group.countAbove(zone);
        return large > offer.dedicatedBytes() || count > offer.dedicatedZones()
                ? "its " + count + " tensors of more than " + zone + " bytes need zones of their own of " + large
                        + " bytes at once, and the peer opens at most " + offer.dedicatedZones() + " of "
                        + offer.dedicatedBytes()
                        + " bytes. Raise 'fabric.landing.max-dedicated-size-per-peer' and"
                        + " 'max-dedicated-zones-per-peer' at the peer, or push fewer at once"
                : null;
    }

    /** No longer waits. */
    void remove(Push push) {
        waiting.remove(push);
    }

    void clear() {
        waiting.clear();
        open.clear();
        bytes = 0;
    }

    /** A group needs no more room; returns those that may now look for theirs. */
    List<Push> over(OutboundGroup group) {
        Long taken = open.remove(group);
        if (taken != null) {
            bytes -= taken;
        }
        List<Push> next = new ArrayList<>();
        boolean full = false;
        // Members of one group need not stand one behind the other: they come here as their memory is ready.
        for (Iterator<Push> pushes = waiting.iterator(); pushes.hasNext(); ) {
            Push push = pushes.next();
            OutboundGroup its = push.group;
            if (its != null && !open.containsKey(its)) {
                full |= !mayOpen(its);
                if (!full) {
                    open(its);
                }
            }
            if (its == null || open.containsKey(its)) {
                pushes.remove();
                next.add(push);
            }
        }
        return next;
    }
}

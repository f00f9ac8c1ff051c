package io.tensorfabric.transfer;

import io.tensorfabric.connection.GroupOffer;
import io.tensorfabric.connection.LandingOffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which groups may take room in the zones that the peer of a link opened. What a group has there stays taken until all of it
 * has arrived, so nobody may have a part of what it needs and wait for the rest: others that wait could need the part that it
 * has, and be ahead of it. So a group takes the room of all its tensors in shared zones at once. Groups together get at most half of the
 * shared zones, and a larger one comes alone; zones for large tensors, which are opened one by one, are for one group at a
 * time. Guarded by the lock of the link's sender.
 */
final class GroupRooms {

    private final PeerZones zones;

    /** Those that may take room. */
    private final Map<OutboundGroup, Share> open = new HashMap<>();

    /** Those of which is known that the peer can hold them. */
    private final Set<OutboundGroup> fitting = new HashSet<>();

    /** Members of groups that may not yet. */
    private final PushQueue waiting = PushQueue.byPriority();

    private long bytes;

    private int large;

    /** What an open group has. */
    private static final class Share {

        final long bytes;

        /** Whether it needs zones of its own. */
        final boolean large;

        /** Room for members that have not come for it yet, by size; {@code null} until it is taken, for all at once. */
        @Nullable Map<Long, Deque<PeerZones.Room>> rooms;

        Share(long bytes, boolean large) {
            this.bytes = bytes;
            this.large = large;
        }
    }

    GroupRooms(PeerZones zones) {
        this.zones = zones;
    }

    /** Whether a push may take room now; else it waits here. */
    boolean enters(Push push, OutboundGroup group) {
        if (open.containsKey(group)) {
            return true;
        }
        if (waiting.isBehind(push) || !opens(group)) {
            waiting.add(push);
            return false;
        }
        return true;
    }

    private boolean opens(OutboundGroup group) {
        long zone = zones.largestShared();
        Share share = new Share(group.bytesUpTo(zone), group.countAbove(zone) > 0);
        boolean fits = bytes + share.bytes <= zone / 2 && !(share.large && large > 0);
        if (!open.isEmpty() && !fits) {
            return false;
        }
        open.put(group, share);
        bytes += share.bytes;
        large += share.large ? 1 : 0;
        return true;
    }

    /** Whether an open group has taken its room in shared zones. */
    boolean hasRooms(OutboundGroup group) {
        Share share = open.get(group);
        return share != null && share.rooms != null;
    }

    /** Takes room for all members of an open group that fit shared zones; false, with nothing taken, if there is not so much. */
    boolean takeRooms(OutboundGroup group) {
        Share share = open.get(group);
        if (share == null) {
            return false;
        }
        Map<Long, Deque<PeerZones.Room>> rooms = new HashMap<>();
        for (long size : group.sizesUpTo(zones.largestShared())) {
            PeerZones.Room room = zones.take(size);
            if (room == null) {
                giveBack(rooms);
                return false;
            }
            rooms.computeIfAbsent(size, any -> new ArrayDeque<>()).add(room);
        }
        share.rooms = rooms;
        return true;
    }

    private static boolean giveBack(Map<Long, Deque<PeerZones.Room>> rooms) {
        boolean some = false;
        for (Deque<PeerZones.Room> equal : rooms.values()) {
            some |= !equal.isEmpty();
            equal.forEach(room -> room.zone().rooms().giveBack(room.offset()));
        }
        return some;
    }

    /** Gives a push the room that its group has for it, if there is some. */
    boolean reserve(Push push) {
        Share share = push.group == null ? null : open.get(push.group);
        Map<Long, Deque<PeerZones.Room>> rooms = share == null ? null : share.rooms;
        Deque<PeerZones.Room> equal = rooms == null ? null : rooms.get(push.bytes());
        PeerZones.Room room = equal == null ? null : equal.poll();
        if (room == null) {
            return false;
        }
        push.zone = room.zone();
        push.offset = room.offset();
        return true;
    }

    /** Why the peer cannot hold a whole group, and what to do; {@code null} if it can. */
    @Nullable String refusal(OutboundGroup group) {
        if (!zones.landing().isKnown() || fitting.contains(group)) {
            return null;
        }
        String why = misfit(group);
        if (why == null) {
            fitting.add(group);
        }
        return why;
    }

    private @Nullable String misfit(OutboundGroup group) {
        LandingOffer landing = zones.landing().offer();
        GroupOffer offer = landing == null ? null : landing.groups();
        if (offer == null) {
            return "the peer runs a version that does not know groups. Run the version of this node there, or push them one"
                    + " by one";
        }
        long zone = zones.largestShared();
        if (!group.fits(zone)) {
            return "its tensors need " + group.bytesUpTo(zone)
                    + " bytes, and what their alignment costs, of the peer's landing zone at once, which has " + zone
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
        fitting.clear();
        bytes = 0;
        large = 0;
    }

    /** A group needs no more room; returns those that may now look for theirs. */
    List<Push> over(OutboundGroup group) {
        fitting.remove(group);
        Share share = open.remove(group);
        if (share != null) {
            bytes -= share.bytes;
            large -= share.large ? 1 : 0;
        }
        List<Push> next = new ArrayList<>();
        boolean full = false;
        // Members of one group need not stand one behind the other: they come here as their memory is ready.
        for (Push push : waiting.drain()) {
            OutboundGroup its = push.group;
            if (its != null && !open.containsKey(its)) {
                full = full || !opens(its);
            }
            if (its == null || open.containsKey(its)) {
                next.add(push);
            } else {
                waiting.add(push);
            }
        }
        return next;
    }

    /** Gives back what members of a group never came for; true if there was something. */
    boolean giveBackRooms(OutboundGroup group) {
        Share share = open.get(group);
        Map<Long, Deque<PeerZones.Room>> rooms = share == null ? null : share.rooms;
        return rooms != null && giveBack(rooms);
    }
}

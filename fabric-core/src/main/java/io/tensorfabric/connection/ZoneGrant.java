package io.tensorfabric.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A landing zone as it travels in the negotiation. Secret: travels nowhere else and is never printed.
 *
 * @param zoneId number of the zone, unique within the connection and direction
 * @param address first byte at the granting node
 * @param size bytes
 * @param memoryKind kind of memory, such as {@code host} or {@code cuda:0}
 * @param rkeys key for each lane, by lane index
 * @param dedicated whether the zone was asked for by the peer for one tensor at a time
 * @param shared how a peer on the same host opens it by itself; {@code null} for a zone that is written through the lanes
 * @param region which published tensor it is; {@code null} for a landing zone
 * @param landing where tensors may be asked to land with it; {@code null} for a published tensor, and from nodes that know
 *     no such wishes
 */
public record ZoneGrant(
        int zoneId,
        long address,
        long size,
        String memoryKind,
        List<Integer> rkeys,
        boolean dedicated,
        @Nullable SharedMemoryGrant shared,
        @Nullable RegionGrant region,
        @Nullable LandingOffer landing) {

    public ZoneGrant {
        rkeys = List.copyOf(rkeys);
    }

    /** A zone that is written through the lanes. */
    public ZoneGrant(int zoneId, long address, long size, String memoryKind, List<Integer> rkeys, boolean dedicated) {
        this(zoneId, address, size, memoryKind, rkeys, dedicated, null, null, null);
    }

    /** A zone that the peer opens by itself, or through the lanes. */
    public ZoneGrant(
            int zoneId,
            long address,
            long size,
            String memoryKind,
            List<Integer> rkeys,
            boolean dedicated,
            @Nullable SharedMemoryGrant shared) {
        this(zoneId, address, size, memoryKind, rkeys, dedicated, shared, null, null);
    }

    /** The same with what a sender may ask for. */
    public ZoneGrant withLanding(@Nullable LandingOffer value) {
        return new ZoneGrant(zoneId, address, size, memoryKind, rkeys, dedicated, shared, region, value);
    }

    /** Leaves out address, keys and handle. */
    @Override
    public String toString() {
        return "ZoneGrant[zoneId=" + zoneId + ", size=" + size + ", memoryKind=" + memoryKind + ", dedicated="
                + dedicated + "]";
    }
}

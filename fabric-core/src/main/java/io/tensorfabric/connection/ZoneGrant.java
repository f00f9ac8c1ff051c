package io.tensorfabric.connection;

import java.util.List;

/**
 * A landing zone as it travels in the negotiation. Secret: travels nowhere else and is never printed.
 *
 * @param zoneId number of the zone, unique within the connection and direction
 * @param address first byte at the granting node
 * @param size bytes
 * @param memoryKind kind of memory, such as {@code host} or {@code cuda:0}
 * @param rkeys key for each lane, by lane index
 * @param dedicated whether the zone was asked for by the peer, so holds one tensor at a time
 */
public record ZoneGrant(
        int zoneId, long address, long size, String memoryKind, List<Integer> rkeys, boolean dedicated) {

    public ZoneGrant {
        rkeys = List.copyOf(rkeys);
    }

    /** Leaves out address and keys. */
    @Override
    public String toString() {
        return "ZoneGrant[zoneId=" + zoneId + ", size=" + size + ", memoryKind=" + memoryKind + ", dedicated="
                + dedicated + "]";
    }
}

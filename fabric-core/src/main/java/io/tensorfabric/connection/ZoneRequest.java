package io.tensorfabric.connection;

import org.jspecify.annotations.Nullable;

/**
 * Body of {@code POST connections/{id}/zones}.
 *
 * @param requester who asks
 * @param bytes size of the zone; 0 with {@code shared}, for one of many tensors, and with {@code region}
 * @param shared for a zone of GPU memory that the requester, on the same host, opens by itself; {@code null} for one that is
 *     written through the lanes
 * @param region for access to a published tensor in place of a landing zone; {@code null} for a landing zone
 */
public record ZoneRequest(
        NodeIdentity requester,
        long bytes,
        @Nullable SharedMemoryRequest shared,
        @Nullable RegionRequest region) {

    /** For a zone that is written through the lanes. */
    public ZoneRequest(NodeIdentity requester, long bytes) {
        this(requester, bytes, null, null);
    }
}

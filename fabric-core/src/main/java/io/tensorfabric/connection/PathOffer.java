package io.tensorfabric.connection;

import org.jspecify.annotations.Nullable;

/**
 * The port of one end.
 *
 * @param gid GID, see {@link io.tensorfabric.verbs.Gid#toString()}
 * @param lid LID, 0 on Ethernet
 * @param mtu largest path MTU in bytes that this end takes
 * @param linkLayer name of the {@link io.tensorfabric.verbs.LinkLayer}
 * @param gidType name of the {@link io.tensorfabric.verbs.GidType}
 * @param reads RDMA READs that this end serves at a time on each lane; {@code null} for one
 */
public record PathOffer(
        String gid,
        int lid,
        int mtu,
        String linkLayer,
        String gidType,
        @Nullable Integer reads) {

    /** Of an end that serves one READ at a time. */
    public PathOffer(String gid, int lid, int mtu, String linkLayer, String gidType) {
        this(gid, lid, mtu, linkLayer, gidType, null);
    }
}

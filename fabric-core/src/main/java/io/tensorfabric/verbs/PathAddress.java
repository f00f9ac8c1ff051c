package io.tensorfabric.verbs;

import org.jspecify.annotations.Nullable;

/**
 * How to reach a queue pair's port: what {@code struct ibv_ah_attr} needs, from the peer's negotiation.
 *
 * @param gid GID of the destination port
 * @param lid LID of the destination port, 0 on Ethernet
 * @param sourceGidIndex index of the own GID to send from
 * @param trafficClass traffic class of the packets, 0 to 255
 * @param serviceLevel service level, 0 to 7
 * @param hopLimit hop limit, 1 to 255
 * @param providerAddress {@link QueuePair#providerAddress()} of the destination, secret; {@code null} if it has none
 */
public record PathAddress(
        Gid gid,
        int lid,
        int sourceGidIndex,
        int trafficClass,
        int serviceLevel,
        int hopLimit,
        @Nullable String providerAddress) {

    /** Leaves out the provider address, which carries a secret. */
    @Override
    public String toString() {
        return "PathAddress[gid=" + gid + ", lid=" + lid + ", sourceGidIndex=" + sourceGidIndex + ", trafficClass="
                + trafficClass + ", serviceLevel=" + serviceLevel + ", hopLimit=" + hopLimit + "]";
    }
}

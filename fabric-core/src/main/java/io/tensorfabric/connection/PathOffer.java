package io.tensorfabric.connection;

/**
 * The port of one end.
 *
 * @param gid GID, see {@link io.tensorfabric.verbs.Gid#toString()}
 * @param lid LID, 0 on Ethernet
 * @param mtu largest path MTU in bytes that this end takes
 * @param linkLayer name of the {@link io.tensorfabric.verbs.LinkLayer}
 * @param gidType name of the {@link io.tensorfabric.verbs.GidType}
 */
public record PathOffer(String gid, int lid, int mtu, String linkLayer, String gidType) {}

package io.tensorfabric.verbs;

/** Link layer of a port. */
public enum LinkLayer {
    /** InfiniBand: peers are addressed by LID, and by GID across routers. */
    INFINIBAND,
    /** Ethernet (RoCE): peers are addressed by GID. */
    ETHERNET,
    /** No link: the software device, whose peers are addressed by {@link PathAddress#providerAddress()}. */
    SOFTWARE
}

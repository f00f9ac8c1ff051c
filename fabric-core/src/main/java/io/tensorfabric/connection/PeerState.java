package io.tensorfabric.connection;

/** How a peer is doing, as this node sees it. */
public enum PeerState {
    /** Never connected to, or closed in order. */
    IDLE,
    /** A negotiation is under way. */
    CONNECTING,
    /** Connected. */
    UP,
    /** The connection is closing. */
    DRAINING,
    /** The last negotiation failed, or the connection was lost. */
    FAILED
}

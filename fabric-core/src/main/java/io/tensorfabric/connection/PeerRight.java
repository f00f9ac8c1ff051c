package io.tensorfabric.connection;

/** What a peer may do to this node once it is connected. */
public enum PeerRight {
    /** Push tensors: gets landing zones, and its tensors reach listeners. */
    PUSH,
    /** Write in place into regions that this node published. */
    PUBLISH,
    /** Read regions of this node that it is given. */
    PULL
}

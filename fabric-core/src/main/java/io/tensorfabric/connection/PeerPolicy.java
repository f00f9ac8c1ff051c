package io.tensorfabric.connection;

import java.util.EnumSet;
import java.util.Set;

/** Decides what each peer may do to this node. Asked once for each connection. Must not block. Thread-safe. */
@FunctionalInterface
public interface PeerPolicy {

    /** Everybody who proved who they are may do everything. */
    PeerPolicy ALLOW_ALL = nodeId -> EnumSet.allOf(PeerRight.class);

    /**
     * Rights of a peer here. A node without any cannot connect to this node; this node may still connect to it, and then
     * opens nothing to it.
     *
     * @param nodeId its node id, proven by the negotiation
     */
    Set<PeerRight> rightsOf(String nodeId);
}

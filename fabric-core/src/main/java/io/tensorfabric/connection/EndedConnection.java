package io.tensorfabric.connection;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is DOWN, for people.
 *
 * @param id id of the connection
 * @param peerName name or node id of the peer
 * @param peerNodeId node id of the peer
 * @param initiator whether this node asked for it
 * @param wasUp whether it was ever UP
 * @param ended when it was DOWN
 * @param failure why it ended, {@code null} if it was closed in order
 * @param queuePairs its queue pairs with the states that they went through
 */
public record EndedConnection(
        String id,
        String peerName,
        String peerNodeId,
        boolean initiator,
        boolean wasUp,
        Instant ended,
        @Nullable String failure,
        List<QueuePairStatus> queuePairs) {}

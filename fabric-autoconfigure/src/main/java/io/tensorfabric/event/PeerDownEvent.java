package io.tensorfabric.event;

import org.jspecify.annotations.Nullable;

/**
 * A connection to a peer that was up has ended.
 *
 * @param peer name of the peer as configured here, else its node id
 * @param nodeId its node id
 * @param connectionId which connection
 * @param reason why, or {@code null} if it ended in order
 */
public record PeerDownEvent(
        String peer,
        String nodeId,
        String connectionId,
        @Nullable String reason) {}

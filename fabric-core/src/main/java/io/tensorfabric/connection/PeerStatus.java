package io.tensorfabric.connection;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A peer as seen by people.
 *
 * @param peerName configured name, or the node id of a peer that is not configured here
 * @param nodeId its node id, or {@code null} before it was reached
 * @param state how it is doing
 * @param connectionId id of its present connection, or {@code null}
 * @param attempts negotiations that this node began with it
 * @param failures failures since it last worked
 * @param lastFailure text of the last failure, or {@code null} if there was none
 * @param since when the state was entered
 * @param nextAttempt when the next negotiation may begin, or {@code null} when at once
 */
public record PeerStatus(
        String peerName,
        @Nullable String nodeId,
        PeerState state,
        @Nullable String connectionId,
        long attempts,
        int failures,
        @Nullable String lastFailure,
        Instant since,
        @Nullable Instant nextAttempt) {}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.QueuePairState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Queue-pair state of a lane at both ends, for people.
 *
 * @param lane index of the lane
 * @param purpose purpose of the lane
 * @param number own queue pair number
 * @param state own state
 * @param peerNumber the peer's queue pair number, or {@code null} before it is known
 * @param peerState the peer's state as it last told, or {@code null} before it did
 * @param since when the own state was entered
 * @param reason why, in words
 * @param history all own states, oldest first
 * @param peerHistory all states of the peer's that it told of, oldest first
 */
public record QueuePairStatus(
        int lane,
        LanePurpose purpose,
        int number,
        QueuePairState state,
        @Nullable Integer peerNumber,
        @Nullable QueuePairState peerState,
        Instant since,
        String reason,
        List<QueuePairTransition> history,
        List<QueuePairTransition> peerHistory) {}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.QueuePairState;
import java.time.Instant;

/**
 * A queue pair entered a state.
 *
 * @param state the state
 * @param time when this end moved it, or was told by the peer
 * @param reason why, in words
 */
public record QueuePairTransition(QueuePairState state, Instant time, String reason) {}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.QueuePairState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** States that the queue pairs of one end of a connection went through, by lane. Thread-safe. */
final class StateLog {

    /** A queue pair goes RESET, INIT, RTR, RTS, ERR; the rest is for what nobody expects. */
    private static final int KEPT = 8;

    private final List<List<QueuePairTransition>> lanes = new ArrayList<>();

    synchronized void add(int lane, QueuePairState state, String reason) {
        while (lanes.size() <= lane) {
            lanes.add(new ArrayList<>());
        }
        List<QueuePairTransition> states = lanes.get(lane);
        if (states.size() == KEPT) {
            states.remove(0);
        }
        states.add(new QueuePairTransition(state, Instant.now(), reason));
    }

    /** Lanes with at least one state. */
    synchronized int lanes() {
        return lanes.size();
    }

    /** All states of a lane, oldest first; empty if none is known. */
    synchronized List<QueuePairTransition> of(int lane) {
        return lane < lanes.size() ? List.copyOf(lanes.get(lane)) : List.of();
    }

    /** The present state of a lane, {@code null} if none is known. */
    @Nullable QueuePairTransition latest(int lane) {
        List<QueuePairTransition> states = of(lane);
        return states.isEmpty() ? null : states.get(states.size() - 1);
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.connection.NegotiationSteps.StepException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps the latest failed negotiations. Thread-safe. */
final class FailureLog {

    private static final int KEPT = 64;

    private final Deque<NegotiationFailure> latest = new ArrayDeque<>();

    void add(Initiator initiator, String peer, ConnectionException cause) {
        add(initiator.path(), initiator.connectionId(), peer, cause);
    }

    void add(FabricDevice device, FabricConnection connection, ConnectionException cause) {
        add(connection.laneSet().path(), connection.id(), connection.peerName(), cause);
    }

    private void add(PathDecision path, @Nullable String connectionId, String peer, ConnectionException cause) {
        boolean known = cause instanceof StepException;
        NegotiationFailure failure = new NegotiationFailure(
                Instant.now(),
                peer,
                connectionId,
                known ? ((StepException) cause).step() : "negotiating",
                known ? ((StepException) cause).errno() : null,
                path.device(),
                path.port(),
                path.gid().index(),
                String.valueOf(cause.getMessage()));
        synchronized (this) {
            latest.addFirst(failure);
            if (latest.size() > KEPT) {
                latest.removeLast();
            }
        }
    }

    /** Newest first. */
    synchronized List<NegotiationFailure> latest() {
        return new ArrayList<>(latest);
    }
}

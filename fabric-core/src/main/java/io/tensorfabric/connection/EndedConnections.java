package io.tensorfabric.connection;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Keeps the latest connections that ended. Thread-safe. */
final class EndedConnections {

    private static final int KEPT = 64;

    private final Deque<EndedConnection> latest = new ArrayDeque<>();

    void add(FabricConnection connection) {
        ConnectionException failure = connection.failure();
        EndedConnection ended = new EndedConnection(
                connection.id(),
                connection.peerName(),
                connection.peer().nodeId(),
                connection.isInitiator(),
                connection.wasUp(),
                Instant.now(),
                failure != null ? failure.getMessage() : null,
                List.copyOf(connection.queuePairs()));
        synchronized (this) {
            latest.addFirst(ended);
            if (latest.size() > KEPT) {
                latest.removeLast();
            }
        }
    }

    /** Newest first. */
    synchronized List<EndedConnection> latest() {
        return new ArrayList<>(latest);
    }
}

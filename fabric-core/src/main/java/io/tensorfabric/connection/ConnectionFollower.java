package io.tensorfabric.connection;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows connections: keeps the peers' records and what failed or ended, and tells the listeners. Thread-safe. */
final class ConnectionFollower implements FabricServices.Observer {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionFollower.class);

    private final FabricDevice device;
    private final ConnectionTable table;
    private final PeerBook book;
    private final FailureLog failures = new FailureLog();
    private final EndedConnections ended = new EndedConnections();
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();

    ConnectionFollower(FabricDevice device, ConnectionTable table, PeerBook book) {
        this.device = device;
        this.table = table;
        this.book = book;
    }

    List<ConnectionListener> listeners() {
        return listeners;
    }

    FailureLog failures() {
        return failures;
    }

    EndedConnections ended() {
        return ended;
    }

    @Override
    public void stateChanged(FabricConnection connection, ConnectionState from, ConnectionState to) {
        if (to == ConnectionState.UP) {
            // An incoming connection proves that the peer can be reached again.
            book.recordsOf(connection.peer().nodeId()).forEach(PeerRecord::cameUp);
        } else if (to == ConnectionState.DOWN && connection.wasUp()) {
            book.recordsOf(connection.peer().nodeId())
                    .forEach(record ->
                            record.lost(connection.failure(), connection.use().wasUseful(), connection.upSince()));
        }
        if (to == ConnectionState.DOWN) {
            ended.add(connection);
        }
        for (ConnectionListener listener : listeners) {
            try {
                listener.stateChanged(connection, from, to);
            } catch (RuntimeException e) {
                LOG.error("A listener failed on {} becoming {}", connection.id(), to, e);
            }
        }
    }

    @Override
    public void refused(FabricConnection connection, ConnectionException cause) {
        failures.add(device, connection, cause);
        LOG.warn("The request of {} failed: {}", connection.peerName(), cause.getMessage());
    }

    @Override
    public void gone(FabricConnection connection) {
        table.remove(connection);
    }
}

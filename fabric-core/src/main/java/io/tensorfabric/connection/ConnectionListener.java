package io.tensorfabric.connection;

/** Learns of changes of connections' states, for metrics and events. */
@FunctionalInterface
public interface ConnectionListener {

    /**
     * A connection changed its state. Called on threads of the fabric, also on poller threads: must not block. Exceptions
     * are logged and otherwise ignored.
     */
    void stateChanged(Connection connection, ConnectionState from, ConnectionState to);
}

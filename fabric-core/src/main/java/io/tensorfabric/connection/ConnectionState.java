package io.tensorfabric.connection;

/** Life of a connection; each state is left only for a later one. */
public enum ConnectionState {
    /** Lanes are exchanged and moved to RTS. */
    NEGOTIATING,
    /** Both ends are RTS; the initiator proves the path. */
    PROBING,
    /** Transfers flow. */
    UP,
    /** No new work; what is in flight ends. */
    DRAINING,
    /** Queue pairs are in ERR, drained and destroyed: the peer can no longer write here. */
    DOWN
}

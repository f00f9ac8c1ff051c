package io.tensorfabric.event;

/**
 * A connection to a peer is up. A reconnect may tell of the new connection before the end of the old one.
 *
 * @param peer name of the peer as configured here, else its node id
 * @param nodeId its node id
 * @param connectionId which connection
 */
public record PeerUpEvent(String peer, String nodeId, String connectionId) {}

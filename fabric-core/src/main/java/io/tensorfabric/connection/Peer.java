package io.tensorfabric.connection;

import java.net.URI;

/**
 * A configured peer.
 *
 * @param name name by which this node's users call it
 * @param uri base of its negotiation, such as {@code https://ranker:8443}
 */
public record Peer(String name, URI uri) {}

package io.tensorfabric.connection;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * A configured peer.
 *
 * @param name name by which this node's users call it
 * @param uri base of its negotiation, such as {@code https://ranker:8443}
 * @param nodeId node id that it must have, or {@code null} to take whoever answers there
 */
public record Peer(String name, URI uri, @Nullable String nodeId) {

    /** A peer of any node id. */
    public Peer(String name, URI uri) {
        this(name, uri, null);
    }
}

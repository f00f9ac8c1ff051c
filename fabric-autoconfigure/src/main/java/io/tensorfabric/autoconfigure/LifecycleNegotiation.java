package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.EstablishedResponse;
import io.tensorfabric.connection.NegotiationHandler;
import io.tensorfabric.connection.NodeDescription;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.connection.ZoneRequest;

/** Hands negotiations to the running fabric. Thread-safe. */
final class LifecycleNegotiation implements NegotiationHandler {

    private final FabricLifecycle lifecycle;

    private final NodeIdentity identity;

    LifecycleNegotiation(FabricLifecycle lifecycle, NodeIdentity identity) {
        this.lifecycle = lifecycle;
        this.identity = identity;
    }

    private NegotiationHandler running() {
        FabricNode node = lifecycle.node();
        if (node == null) {
            throw new ConnectionException(
                    ConnectionException.Kind.CLOSED,
                    identity.nodeId(),
                    "Node " + identity.nodeId() + " is not running");
        }
        return node.connections();
    }

    @Override
    public NodeDescription node() {
        return running().node();
    }

    @Override
    public ConnectResponse connect(ConnectRequest request) {
        return running().connect(request);
    }

    @Override
    public EstablishedResponse established(String connectionId, EstablishedRequest request) {
        return running().established(connectionId, request);
    }

    @Override
    public ZoneGrant openZone(String connectionId, ZoneRequest request) {
        return running().openZone(connectionId, request);
    }

    @Override
    public void close(String connectionId, String nodeId) {
        running().close(connectionId, nodeId);
    }
}

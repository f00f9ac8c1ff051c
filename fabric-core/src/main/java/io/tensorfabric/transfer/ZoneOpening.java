package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.connection.ZoneGrant;
import java.util.List;

/**
 * Opens zones to peers that may push.
 *
 * @param engine what transfers share
 */
record ZoneOpening(Engine engine) {

    /** The zones that a new peer gets. */
    List<ZoneGrant> initial(Connection connection) {
        refuseIfStopped(connection);
        PeerLink link = engine.openLink(connection);
        try {
            return mayPush(connection) ? List.of(link.receiver().openShared()) : List.of();
        } catch (RuntimeException e) {
            engine.closeLink(connection);
            throw e;
        }
    }

    /** The link of a connection whose peer asks for something. */
    PeerLink link(Connection connection) {
        refuseIfStopped(connection);
        PeerLink link = engine.link(connection);
        if (link == null) {
            String message = "The connection of peer '" + connection.peerName() + "' is down";
            throw new ConnectionException(ConnectionException.Kind.NOT_FOUND, connection.peerName(), message);
        }
        return link;
    }

    /** Who opens further ones. */
    LinkReceiver receiver(Connection connection) {
        PeerLink link = link(connection);
        if (!mayPush(connection)) {
            String message = "Peer '" + connection.peerName() + "' may not push to this node";
            throw new ConnectionException(ConnectionException.Kind.REFUSED, connection.peerName(), message);
        }
        return link.receiver();
    }

    private static boolean mayPush(Connection connection) {
        return connection.rights().contains(PeerRight.PUSH);
    }

    private void refuseIfStopped(Connection connection) {
        if (engine.isStopped()) {
            throw new ConnectionException(
                    ConnectionException.Kind.CLOSED, connection.peerName(), "This node is shutting down");
        }
    }
}

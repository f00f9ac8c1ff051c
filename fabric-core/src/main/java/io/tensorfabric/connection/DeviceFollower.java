package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.VerbsResource;

/** Ends the connections that an event of the device concerns. */
record DeviceFollower(ConnectionTable table, PeerBook book) implements DeviceObserver {

    @Override
    public void portDown() {
        table.all().forEach(connection -> connection.fail(connection.lost("the port went down (PORT_ERR)", null)));
    }

    @Override
    public void portActive() {
        book.records().forEach(PeerRecord::alive);
    }

    @Override
    public void elementFailed(VerbsResource element, AsyncEventType type) {
        for (FabricConnection connection : table.all()) {
            if (owns(connection, element)) {
                connection.fail(connection.lost("the device reports " + type + " on one of its queues", null));
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // resources are who they are
    private static boolean owns(FabricConnection connection, VerbsResource element) {
        ReceiveQueue receives = connection.laneSet().receiveQueue();
        return (receives != null && receives.queue() == element)
                || connection.laneSet().lanes().stream().anyMatch(lane -> lane.queuePair() == element);
    }

    @Override
    public void deviceFailed(String reason) {
        table.all()
                .forEach(connection -> connection.fail(new ConnectionException(
                        Kind.LOST,
                        connection.peerName(),
                        "The connection to " + connection.peerName() + " is lost: " + reason)));
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.VerbsResource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the connections that an event of the device concerns. */
record DeviceFollower(FabricDevice device, ConnectionTable table, PeerBook book, ConnectionHandler handler)
        implements DeviceObserver {

    private static final Logger LOG = LoggerFactory.getLogger(DeviceFollower.class);

    @Override
    public void portDown() {
        table.all().forEach(connection -> connection.fail(connection.lost("the port went down (PORT_ERR)", null)));
    }

    @Override
    public void portActive() {
        pathChanged();
    }

    private void pathChanged() {
        book.records().forEach(PeerRecord::alive);
        handler.pathChanged();
    }

    /** What a connection sends bears its own GID: without that, nothing of it arrives any more. */
    @Override
    public void gidsChanged() {
        List<GidEntry> present;
        try {
            present = device.context().queryGidTable(device.port());
        } catch (VerbsException e) {
            LOG.warn("The GID table of {} changed and cannot be read; heartbeats will tell", device.deviceName(), e);
            return;
        }
        for (FabricConnection connection : table.all()) {
            GidEntry own = connection.laneSet().path().gid();
            boolean there = present.stream()
                    .anyMatch(entry -> entry.index() == own.index()
                            && entry.gid().equals(own.gid())
                            && entry.type() == own.type());
            if (!there) {
                connection.fail(connection.lost(
                        "GID " + own.gid() + " at index " + own.index() + " of " + device.deviceName() + " port "
                                + device.port() + " is gone (GID_CHANGE)",
                        null));
            }
        }
        pathChanged();
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

package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a connection apart: queue pairs to ERR, flushed work drained, grants revoked, queue pairs destroyed, memory given
 * back, handler told. Every wait is bounded; what cannot be given back safely stays allocated and is logged.
 */
final class Teardown implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Teardown.class);

    private final FabricConnection connection;

    private final FabricServices services;

    private final LaneSet lanes;

    Teardown(FabricConnection connection, FabricServices services) {
        this.connection = connection;
        this.services = services;
        this.lanes = connection.laneSet();
    }

    @Override
    public void run() {
        try {
            takeApart();
        } catch (RuntimeException e) {
            LOG.error("Connection {} could not be taken apart", connection.id(), e);
        }
        connection.move(ConnectionState.DRAINING, ConnectionState.DOWN);
        connection.calls().down();
        services.observer().gone(connection);
        connection.whenUp().completeExceptionally(failure());
        connection.whenDown().complete(null);
    }

    private ConnectionException failure() {
        ConnectionException failure = connection.failure();
        return failure != null
                ? failure
                : new ConnectionException(
                        Kind.CLOSED,
                        connection.peerName(),
                        "The connection to " + connection.peerName() + " was closed");
    }

    private void takeApart() {
        ConnectionException failure = connection.failure();
        lanes.end();
        lanes.toError(failure != null ? String.valueOf(failure.getMessage()) : "closed");
        Duration timeout = services.options().drainTimeout();
        boolean shut = shutLanes(timeout);
        if (lanes.wasReady()) {
            drain(timeout);
        }
        connection.grants().close();
        destroyQueuePairs();
        connection.grants().close();
        releaseMemory(shut, timeout);
    }

    private boolean shutLanes(Duration timeout) {
        boolean all = true;
        for (QueuePairLane lane : lanes.lanes()) {
            all &= lane.shut(timeout);
        }
        return all;
    }

    private void drain(Duration timeout) {
        List<QueuePairLane> all = lanes.lanes();
        CountDownLatch drained = new CountDownLatch(all.size());
        for (QueuePairLane lane : all) {
            if (!lane.drain(drained::countDown)) {
                drained.countDown();
            }
        }
        try {
            if (!drained.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                LOG.warn(
                        "Connection {} did not flush within {}; its queue pairs are destroyed",
                        connection.id(),
                        timeout);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void destroyQueuePairs() {
        for (QueuePairLane lane : lanes.lanes()) {
            Undo.closeQuietly(lane.queuePair());
        }
    }

    /** The poller may still be in a callback of this connection: memory is given back after it has left. */
    private void releaseMemory(boolean shut, Duration timeout) {
        @Nullable ReceiveQueue receives = lanes.receiveQueue();
        lanes.lanes().forEach(QueuePairLane::unregister);
        if (receives != null) {
            receives.unregister();
        }
        boolean left = lanes.poller().barrier(timeout);
        for (QueuePairLane lane : lanes.lanes()) {
            lane.finish(shut && left && lane.queuePair().isClosed());
        }
        if (receives != null && left) {
            receives.close();
        } else if (receives != null) {
            LOG.error("A callback of connection {} does not return; its receives stay allocated", connection.id());
        }
        lanes.releaseReservation();
    }
}

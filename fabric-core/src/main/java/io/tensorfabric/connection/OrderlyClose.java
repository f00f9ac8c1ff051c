package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a connection so that nothing in flight is lost: both ends let their work end before either destroys anything. */
record OrderlyClose(FabricConnection connection, FabricServices services) {

    private static final Logger LOG = LoggerFactory.getLogger(OrderlyClose.class);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Closes from this end; blocks until it is DOWN or the time is over. */
    void close(Duration timeout) {
        Deadline deadline = Deadline.in(timeout);
        if (connection.isHalfOpen()) {
            connection.failQuietly(closed());
        } else if (begin()) {
            finish(timeout);
            return;
        } else {
            awaitIdle(deadline.within(services.options().drainTimeout()));
            connection.startTeardown();
        }
        awaitDown(deadline);
    }

    /** Stops new work at both ends; false if it ends already. The caller of this finishes. */
    boolean begin() {
        if (!connection.drain()) {
            return false;
        }
        sayGoodbye();
        connection.calls().closing();
        return true;
    }

    /** Lets work in flight end, tells the peer and takes it apart; blocks until it is DOWN or the time is over. */
    void finish(Duration timeout) {
        Deadline deadline = Deadline.in(timeout);
        awaitIdle(deadline.within(services.options().drainTimeout()));
        services.peers()
                .tellClosed(
                        connection,
                        deadline.within(services.options().drainTimeout()).remaining());
        connection.startTeardown();
        awaitDown(deadline);
    }

    private ConnectionException closed() {
        return new ConnectionException(
                Kind.CLOSED, connection.peerName(), "The connection to " + connection.peerName() + " was closed");
    }

    private void sayGoodbye() {
        LaneTransmission message = connection.lane(0).beginInternal(true, LaneCredits.KEPT_FROM_ALL);
        if (message != null) {
            message.open(MessageTypes.GOODBYE);
            message.submit(InternalWork.IGNORED, 0);
        }
    }

    /** The peer announced its close over the data path: its DELETE follows, or this end closes alone in the end. */
    void peerSaidGoodbye() {
        if (connection.drain()) {
            connection.calls().closing();
            var unused = services.executors()
                    .timer()
                    .schedule(
                            connection::startTeardown,
                            2 * services.options().drainTimeout().toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    /** The peer asked over REST: blocks until what is in flight has ended, then takes the connection apart. */
    void peerAsked() {
        if (connection.isHalfOpen()) {
            connection.failQuietly(closed());
            return;
        }
        if (connection.drain()) {
            connection.calls().closing();
        }
        awaitIdle(Deadline.in(services.options().drainTimeout()));
        connection.startTeardown();
    }

    private void awaitIdle(Deadline deadline) {
        while (connection.state() == ConnectionState.DRAINING
                && connection.failure() == null
                && (!connection.isIdle() || services.handler().isBusy(connection))) {
            if (deadline.hasPassed()) {
                LOG.warn("Work to {} was still in flight when its connection closed", connection.peerName());
                return;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private void awaitDown(Deadline deadline) {
        try {
            InternalWork.await(connection.whenDown(), deadline, connection.peerName(), "Closing a connection");
        } catch (ConnectionException e) {
            LOG.warn("The connection to {} is not down yet: {}", connection.peerName(), e.getMessage());
        }
    }
}

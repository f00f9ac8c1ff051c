package io.tensorfabric.connection;

import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of a connection's handler on poller threads. Whatever it throws is logged and does not reach the poller.
 *
 * @param connection the connection
 * @param handler its handler
 */
record HandlerCalls(FabricConnection connection, ConnectionHandler handler) {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerCalls.class);

    void received(QueuePairLane lane, int type, ByteBuffer body) {
        connection.markUseful();
        try {
            handler.received(connection, lane, type, body);
        } catch (Throwable t) {
            LOG.error("The handler failed on a message of type {} of {}", type, connection.id(), t);
        }
    }

    void immediate(QueuePairLane lane, int immediate, int bytes) {
        connection.markUseful();
        try {
            handler.immediate(connection, lane, immediate, bytes);
        } catch (Throwable t) {
            LOG.error("The handler failed on an immediate of {}", connection.id(), t);
        }
    }

    void ready(QueuePairLane lane) {
        try {
            handler.ready(lane);
        } catch (Throwable t) {
            LOG.error("The handler failed on a ready lane of {}", connection.id(), t);
        }
    }
}

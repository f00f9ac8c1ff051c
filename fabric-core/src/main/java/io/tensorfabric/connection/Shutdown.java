package io.tensorfabric.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes all connections of a manager: in order and at once, then what is left by force. */
record Shutdown(FabricServices services, ConnectionTable table) {

    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

    void run(Deadline deadline) {
        List<FabricConnection> connections = table.close();
        List<Future<?>> closes = new ArrayList<>();
        Duration patience = deadline.remaining();
        for (FabricConnection connection : connections) {
            closes.add(services.executors()
                    .callbacks()
                    .submit(() -> new OrderlyClose(connection, services).close(patience)));
        }
        closes.forEach(close -> await(close, deadline));
        for (FabricConnection connection : table.all()) {
            connection.failQuietly(connection.lost("this node shuts down", null));
            awaitDown(connection);
        }
    }

    private static void await(Future<?> close, Deadline deadline) {
        try {
            close.get(Math.max(1, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("A connection did not close in order", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitDown(FabricConnection connection) {
        try {
            InternalWork.await(
                    connection.whenDown(),
                    Deadline.in(services.options().drainTimeout().multipliedBy(2)),
                    connection.peerName(),
                    "Closing a connection");
        } catch (ConnectionException e) {
            LOG.error("Connection {} is not down: {}", connection.id(), e.getMessage());
        }
    }
}

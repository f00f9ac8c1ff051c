package io.tensorfabric.autoconfigure.event;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionListener;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.event.PeerDownEvent;
import io.tensorfabric.event.PeerUpEvent;
import io.tensorfabric.event.TransferFailedEvent;
import io.tensorfabric.transfer.TransferObserver;
import io.tensorfabric.transfer.TransferStatus;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Publishes events in their order on a thread of its own: threads of the fabric must not wait for event listeners. When those
 * are too slow, the newest events are left out, and the log says how many. Thread-safe.
 */
final class FabricEvents implements ConnectionListener, TransferObserver, DisposableBean {

    static final int MOST_WAITING = 1024;

    private static final Logger logger = LoggerFactory.getLogger(FabricEvents.class);

    private static final Duration END_TIMEOUT = Duration.ofSeconds(2);

    private final ApplicationEventPublisher publisher;

    private final AtomicLong leftOut = new AtomicLong();

    private final ThreadPoolExecutor thread;

    FabricEvents(ApplicationEventPublisher publisher, int mostWaiting) {
        this.publisher = publisher;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("fabric-events-");
        threads.setDaemon(true);
        this.thread = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(mostWaiting),
                threads,
                (task, full) -> leftOut.incrementAndGet());
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public void stateChanged(Connection connection, ConnectionState from, ConnectionState to) {
        String nodeId = connection.peer().nodeId();
        if (to == ConnectionState.UP) {
            publish(new PeerUpEvent(connection.peerName(), nodeId, connection.id()));
        } else if (from == ConnectionState.UP) {
            ConnectionException failure = connection.failure();
            String reason = failure == null ? null : failure.getMessage();
            publish(new PeerDownEvent(connection.peerName(), nodeId, connection.id(), reason));
        }
    }

    @Override
    public boolean wantsStatus(TransferStatus.State state) {
        return state == TransferStatus.State.FAILED;
    }

    @Override
    public void transferEnded(TransferStatus status, Duration elapsed) {
        if (wantsStatus(status.state())) {
            publish(new TransferFailedEvent(status, elapsed));
        }
    }

    private void publish(Object event) {
        thread.execute(() -> {
            long missing = leftOut.getAndSet(0);
            if (missing > 0) {
                logger.warn("{} events were left out, because listeners of earlier ones took too long", missing);
            }
            try {
                publisher.publishEvent(event);
            } catch (RuntimeException ex) {
                logger.warn("A listener of {} failed", event.getClass().getSimpleName(), ex);
            }
        });
    }

    /** What was told before still comes, if its listeners are quick. */
    @Override
    public void destroy() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
            thread.shutdownNow();
        }
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.verbs.AsyncEvent;
import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.VerbsResource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that takes a device's asynchronous events and tells the observers what concerns the port in use. */
final class AsyncEventWatcher {

    private static final Logger LOG = LoggerFactory.getLogger(AsyncEventWatcher.class);

    private static final Duration WAIT = Duration.ofMillis(100);

    private final VerbsContext context;
    private final int port;
    private final Consumer<String> onDeviceFailure;
    private final List<DeviceObserver> observers = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile boolean closed;

    AsyncEventWatcher(VerbsContext context, int port, Consumer<String> onDeviceFailure) {
        this.context = context;
        this.port = port;
        this.onDeviceFailure = onDeviceFailure;
        this.thread = new Thread(this::run, "fabric-events-" + context.deviceName());
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    void add(DeviceObserver observer) {
        observers.add(observer);
    }

    void remove(DeviceObserver observer) {
        observers.remove(observer);
    }

    void tell(Consumer<DeviceObserver> news) {
        for (DeviceObserver observer : observers) {
            try {
                news.accept(observer);
            } catch (RuntimeException e) {
                LOG.error("{}: an observer failed", thread.getName(), e);
            }
        }
    }

    private void run() {
        while (!closed) {
            try {
                AsyncEvent event = context.awaitAsyncEvent(WAIT);
                if (event != null) {
                    handle(event);
                }
            } catch (VerbsException | IllegalStateException e) {
                if (!closed) {
                    LOG.error("{}: events cannot be read; the device's failures will show late", thread.getName(), e);
                }
                return;
            }
        }
    }

    private void handle(AsyncEvent event) {
        switch (event.type()) {
            case PORT_ERR -> portChanged(event, DeviceObserver::portDown);
            case PORT_ACTIVE -> portChanged(event, DeviceObserver::portActive);
            case GID_CHANGE -> portChanged(event, DeviceObserver::gidsChanged);
            case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, SRQ_ERR -> elementFailed(event);
            case CQ_ERR -> onDeviceFailure.accept("a completion queue failed (CQ_ERR): it has overrun");
            case DEVICE_FATAL -> onDeviceFailure.accept("the device failed (DEVICE_FATAL): look at the kernel log");
            default -> LOG.debug("{}: {} on port {}", thread.getName(), event.type(), event.port());
        }
    }

    private void portChanged(AsyncEvent event, Consumer<DeviceObserver> news) {
        if (event.port() != port) {
            LOG.info("{}: {} on port {}, which is not in use", thread.getName(), event.type(), event.port());
            return;
        }
        LOG.warn("{}: {} on port {}", thread.getName(), event.type(), event.port());
        tell(news);
    }

    private void elementFailed(AsyncEvent event) {
        VerbsResource element = event.element();
        AsyncEventType type = event.type();
        if (element == null) {
            LOG.warn("{}: {} that names nothing", thread.getName(), type);
            return;
        }
        tell(observer -> observer.elementFailed(element, type));
    }

    void close() {
        closed = true;
        boolean interrupted = false;
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            LOG.warn("{} does not end", thread.getName());
        }
    }
}

package io.tensorfabric.listener;

import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorListenerRegistry;
import io.tensorfabric.transfer.TensorListenerRegistry.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listener that is registered with the fabric while it runs, once for each pair of patterns. Thread-safe. */
final class DefaultTensorListenerContainer implements TensorListenerContainer {

    private static final Logger logger = LoggerFactory.getLogger(DefaultTensorListenerContainer.class);

    private final TensorListenerRegistry registry;

    private final TensorListenerEndpoint endpoint;

    private final boolean autoStartup;

    private final TensorCall call;

    private final @Nullable ListenerThreads threads;

    private final List<Registration> registrations = new ArrayList<>();

    private boolean running;

    private boolean paused;

    DefaultTensorListenerContainer(
            TensorListenerRegistry registry,
            TensorListenerEndpoint endpoint,
            boolean autoStartup,
            TensorCall call,
            @Nullable ListenerThreads threads) {
        this.registry = registry;
        this.endpoint = endpoint;
        this.autoStartup = autoStartup;
        this.call = call;
        this.threads = threads;
    }

    @Override
    public String id() {
        return endpoint.id();
    }

    @Override
    public TensorListenerEndpoint endpoint() {
        return endpoint;
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        for (String name : endpoint.names()) {
            for (String peer : endpoint.peers()) {
                registrations.add(registry.register(endpoint.id(), name, peer, this::receive));
            }
        }
        logger.debug("Tensor listener {} takes {} from {}", id(), endpoint.names(), endpoint.peers());
    }

    private void receive(ReceivedTensor tensor) throws Exception {
        if (threads != null) {
            threads.submit(tensor, call);
        } else {
            call.direct(tensor);
        }
    }

    @Override
    public synchronized void stop() {
        registrations.forEach(Registration::close);
        registrations.clear();
        running = false;
        paused = false;
    }

    @Override
    public void awaitEnd(Duration timeout) {
        if (threads != null) {
            threads.awaitEnd(timeout);
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    @Override
    public synchronized void pause() {
        if (!running) {
            throw new IllegalStateException("Tensor listener '" + id() + "' is stopped, so it cannot be paused");
        }
        registrations.forEach(Registration::pause);
        paused = true;
    }

    @Override
    public synchronized void resume() {
        registrations.forEach(Registration::resume);
        paused = false;
    }

    @Override
    public synchronized boolean isPaused() {
        return paused;
    }

    @Override
    public String toString() {
        return "TensorListenerContainer[" + id() + ", names " + endpoint.names() + ", peers " + endpoint.peers() + "]";
    }
}

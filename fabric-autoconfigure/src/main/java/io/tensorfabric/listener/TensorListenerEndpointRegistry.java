package io.tensorfabric.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * All listeners of the application: those of {@link io.tensorfabric.annotation.TensorListener} methods, and those that are
 * registered here at any time. Starts them when the application is otherwise ready, and stops them first when it ends.
 * Where patterns of several running listeners fit, the one that was started first gets the tensor. Thread-safe.
 */
public final class TensorListenerEndpointRegistry implements SmartLifecycle {

    /** After the web server and nearly everything else. */
    public static final int PHASE = Integer.MAX_VALUE - 100;

    /** Whoever is to end in order has been waited for before this registry stops. */
    private static final Duration END_TIMEOUT = Duration.ofSeconds(1);

    private final TensorListenerContainerFactory defaultFactory;

    private final Map<String, TensorListenerContainer> containers = new LinkedHashMap<>();

    private boolean running;

    /** @param defaultFactory makes containers where no other factory is named */
    public TensorListenerEndpointRegistry(TensorListenerContainerFactory defaultFactory) {
        this.defaultFactory = Objects.requireNonNull(defaultFactory, "defaultFactory");
    }

    /** As {@link #register(TensorListenerEndpoint, TensorListenerContainerFactory)} with the application's factory. */
    public TensorListenerContainer register(TensorListenerEndpoint endpoint) {
        return register(endpoint, defaultFactory);
    }

    /**
     * Adds a listener. It starts with the application, at once if that runs already, unless its automatic start-up is off.
     *
     * @throws InvalidTensorListenerException if another listener has its id
     */
    public TensorListenerContainer register(TensorListenerEndpoint endpoint, TensorListenerContainerFactory factory) {
        TensorListenerContainer container = factory.createContainer(endpoint);
        boolean start;
        synchronized (this) {
            TensorListenerContainer other = containers.putIfAbsent(endpoint.id(), container);
            if (other != null) {
                throw new InvalidTensorListenerException(
                        "Two tensor listeners have the id '" + endpoint.id() + "': " + other + " and " + container,
                        "Give one of them another id.");
            }
            start = running && container.isAutoStartup();
        }
        if (start) {
            container.start();
        }
        return container;
    }

    /** Stops a listener and forgets it; false if there is none of this id. */
    public boolean unregister(String id) {
        TensorListenerContainer container;
        synchronized (this) {
            container = containers.remove(id);
        }
        if (container == null) {
            return false;
        }
        container.stop();
        return true;
    }

    /** The listener of an id, or {@code null}. */
    public synchronized @Nullable TensorListenerContainer container(String id) {
        return containers.get(id);
    }

    /** All listeners, in the order of their registration. */
    public synchronized Collection<TensorListenerContainer> containers() {
        return List.copyOf(containers.values());
    }

    @Override
    public void start() {
        List<TensorListenerContainer> starting = new ArrayList<>();
        synchronized (this) {
            running = true;
            containers.values().stream()
                    .filter(TensorListenerContainer::isAutoStartup)
                    .forEach(starting::add);
        }
        starting.forEach(TensorListenerContainer::start);
    }

    @Override
    public void stop() {
        synchronized (this) {
            running = false;
        }
        Collection<TensorListenerContainer> ending = containers();
        ending.forEach(TensorListenerContainer::stop);
        ending.forEach(container -> container.awaitEnd(END_TIMEOUT));
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}

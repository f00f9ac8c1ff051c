package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.transfer.TensorListenerRegistry;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Registers annotated methods when the application is otherwise ready, and takes them back first when it ends. */
final class TensorListenerLifecycle implements SmartLifecycle {

    /** After the web server and nearly everything else. */
    static final int PHASE = Integer.MAX_VALUE - 100;

    private static final Logger logger = LoggerFactory.getLogger(TensorListenerLifecycle.class);

    private final TensorListenerBeanPostProcessor processor;

    private final TensorListenerRegistry registry;

    private final List<TensorListenerRegistry.Registration> registrations = new ArrayList<>();

    private volatile boolean running;

    TensorListenerLifecycle(TensorListenerBeanPostProcessor processor, TensorListenerRegistry registry) {
        this.processor = processor;
        this.registry = registry;
    }

    @Override
    public void start() {
        running = true;
        processor.forward(this::register);
    }

    private synchronized void register(ListenerMethod method) {
        for (String name : method.names()) {
            for (String peer : method.peers()) {
                registrations.add(registry.register(method.id(), name, peer, method));
            }
        }
        logger.debug("Tensor listener {} takes {} from {}", method.id(), method.names(), method.peers());
    }

    @Override
    public void stop() {
        processor.forward(null);
        running = false;
        List<TensorListenerRegistry.Registration> ending;
        synchronized (this) {
            ending = List.copyOf(registrations);
            registrations.clear();
        }
        ending.forEach(TensorListenerRegistry.Registration::close);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}

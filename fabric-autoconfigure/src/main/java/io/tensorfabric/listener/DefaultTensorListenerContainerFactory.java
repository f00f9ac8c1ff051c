package io.tensorfabric.listener;

import io.tensorfabric.transfer.TensorListenerRegistry;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes containers with defaults for what a listener leaves open. Immutable. */
public final class DefaultTensorListenerContainerFactory implements TensorListenerContainerFactory {

    private final TensorListenerRegistry registry;

    private final int concurrency;

    private final boolean autoStartup;

    private final boolean virtualThreads;

    private final @Nullable TensorListenerErrorHandler errorHandler;

    private final UnaryOperator<TensorHandler> decorator;

    /**
     * Containers on the threads that all listeners share, which start with the application and have no error handler.
     *
     * @param registry where tensors come from
     */
    public DefaultTensorListenerContainerFactory(TensorListenerRegistry registry) {
        this(registry, 0, true, false, null, UnaryOperator.identity());
    }

    private DefaultTensorListenerContainerFactory(
            TensorListenerRegistry registry,
            int concurrency,
            boolean autoStartup,
            boolean virtualThreads,
            @Nullable TensorListenerErrorHandler errorHandler,
            UnaryOperator<TensorHandler> decorator) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.concurrency = concurrency;
        this.autoStartup = autoStartup;
        this.virtualThreads = virtualThreads;
        this.errorHandler = errorHandler;
        this.decorator = decorator;
    }

    /** The same, with so many calls of each listener at a time on threads of its own; 0 for the shared threads. */
    public DefaultTensorListenerContainerFactory withConcurrency(int calls) {
        return new DefaultTensorListenerContainerFactory(
                registry, calls, autoStartup, virtualThreads, errorHandler, decorator);
    }

    /** The same, with listeners that start with the application or not. */
    public DefaultTensorListenerContainerFactory withAutoStartup(boolean start) {
        return new DefaultTensorListenerContainerFactory(
                registry, concurrency, start, virtualThreads, errorHandler, decorator);
    }

    /** The same, with virtual threads where listeners have threads of their own; needs Java 21. */
    public DefaultTensorListenerContainerFactory withVirtualThreads(boolean virtual) {
        return new DefaultTensorListenerContainerFactory(
                registry, concurrency, autoStartup, virtual, errorHandler, decorator);
    }

    /** The same with an error handler for listeners that name none; {@code null} for none. */
    public DefaultTensorListenerContainerFactory withErrorHandler(@Nullable TensorListenerErrorHandler value) {
        return new DefaultTensorListenerContainerFactory(
                registry, concurrency, autoStartup, virtualThreads, value, decorator);
    }

    /**
     * The same with something around the handler of each listener, outside what was there before: inside the error handler,
     * on the thread of the call.
     */
    public DefaultTensorListenerContainerFactory withDecorator(UnaryOperator<TensorHandler> outer) {
        return new DefaultTensorListenerContainerFactory(
                registry,
                concurrency,
                autoStartup,
                virtualThreads,
                errorHandler,
                handler -> outer.apply(decorator.apply(handler)));
    }

    @Override
    public TensorListenerContainer createContainer(TensorListenerEndpoint endpoint) {
        Boolean start = endpoint.autoStartup();
        Integer calls = endpoint.concurrency();
        TensorListenerErrorHandler own = endpoint.errorHandler();
        TensorCall call = new TensorCall(
                decorator.apply(endpoint.handler()), endpoint.ackMode(), own != null ? own : errorHandler);
        ListenerThreads threads =
                ListenerThreads.of(endpoint.id(), calls != null ? calls : concurrency, virtualThreads);
        return new DefaultTensorListenerContainer(
                registry, endpoint, start != null ? start : autoStartup, call, threads);
    }
}

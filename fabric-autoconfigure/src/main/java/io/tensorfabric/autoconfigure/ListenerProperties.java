package io.tensorfabric.autoconfigure;

import io.tensorfabric.listener.TensorListenerEndpoint;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Listeners of tensors.
 *
 * @param concurrency Most calls at a time of each listener that says nothing else, on threads of its own; 0 for the threads
 *     that all listeners share, "fabric.transfer.listener-threads".
 * @param autoStartup Whether listeners that say nothing else start with the application.
 */
public record ListenerProperties(
        @DefaultValue("0") int concurrency,
        @DefaultValue("true") boolean autoStartup) {

    public ListenerProperties {
        PropertyChecks.range("fabric.listener.concurrency", concurrency, 0, TensorListenerEndpoint.MAX_CONCURRENCY);
    }
}

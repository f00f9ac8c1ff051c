package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.listener.TensorArgumentResolver;
import io.tensorfabric.listener.TensorListenerContainerFactory;
import io.tensorfabric.listener.TensorListenerEndpoint;
import io.tensorfabric.listener.TensorListenerEndpointRegistry;
import io.tensorfabric.listener.TensorListenerErrorHandler;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Registers annotated methods as listeners. Thread-safe. */
final class ListenerMethods {

    private final ConfigurableListableBeanFactory beans;

    private final TensorListenerEndpointRegistry registry;

    private final ListenerArguments arguments;

    ListenerMethods(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        this.registry = beans.getBean(TensorListenerEndpointRegistry.class);
        this.arguments = new ListenerArguments(beans.getBeanProvider(TensorArgumentResolver.class)
                .orderedStream()
                .toList());
    }

    void register(ListenerMethod method) {
        TensorListenerEndpoint endpoint = endpoint(method);
        String factory = text(method.annotation().containerFactory());
        if (factory.isEmpty()) {
            registry.register(endpoint);
        } else {
            registry.register(
                    endpoint, named(method, "containerFactory", factory, TensorListenerContainerFactory.class));
        }
    }

    private TensorListenerEndpoint endpoint(ListenerMethod method) {
        TensorListener annotation = method.annotation();
        if (method.method().getReturnType() != void.class) {
            throw method.invalid(
                    "returns " + method.method().getReturnType().getSimpleName() + ", and nobody would take that",
                    "Let the method return void. To answer later, use ack = AckMode.MANUAL and an Acknowledgment parameter.");
        }
        String id = text(annotation.id());
        String handler = text(annotation.errorHandler());
        return new TensorListenerEndpoint(
                id.isEmpty() ? method.beanName() + "." + method.method().getName() : id,
                patterns(method, "names", annotation.names()),
                patterns(method, "peers", annotation.peers()),
                concurrency(method),
                autoStartup(method),
                annotation.ack(),
                handler.isEmpty() ? null : named(method, "errorHandler", handler, TensorListenerErrorHandler.class),
                MethodTensorHandler.of(method, arguments));
    }

    private List<String> patterns(ListenerMethod method, String attribute, String[] values) {
        if (values.length == 0) {
            throw method.invalid(
                    "has no pattern in '" + attribute + "'", "Leave '" + attribute + "' out to take all, or give one.");
        }
        return Stream.of(values).map(this::text).toList();
    }

    private @Nullable Integer concurrency(ListenerMethod method) {
        String value = text(method.annotation().concurrency());
        if (value.isEmpty()) {
            return null;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= 0 && number <= TensorListenerEndpoint.MAX_CONCURRENCY) {
                return number;
            }
        } catch (NumberFormatException ex) {
            // As a number out of range.
        }
        throw method.invalid(
                "has the concurrency '" + value + "'",
                "Give a number from 0 to " + TensorListenerEndpoint.MAX_CONCURRENCY + ".");
    }

    private @Nullable Boolean autoStartup(ListenerMethod method) {
        String value = text(method.annotation().autoStartup());
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "" -> null;
            case "true" -> true;
            case "false" -> false;
            default -> throw method.invalid("has the autoStartup '" + value + "'", "Write true or false.");
        };
    }

    private <T> T named(ListenerMethod method, String attribute, String name, Class<T> type) {
        try {
            return beans.getBean(name, type);
        } catch (BeansException ex) {
            throw method.invalid(
                    "names the " + attribute + " '" + name + "', and there is no such bean of type "
                            + type.getSimpleName(),
                    "Define that bean, or name one of " + List.of(beans.getBeanNamesForType(type)) + ".");
        }
    }

    private String text(String value) {
        String resolved = beans.resolveEmbeddedValue(value);
        return resolved == null ? "" : resolved;
    }
}

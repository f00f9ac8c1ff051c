package io.tensorfabric.listener;

import io.tensorfabric.transfer.TensorReceiver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a listener wants: the description that a {@link TensorListenerContainerFactory} makes a container of. Immutable.
 *
 * @param id unique name of the listener
 * @param names patterns of tensor names, one of which must fit; {@code *} stands for any characters
 * @param peers the same over names of peers
 * @param concurrency most calls at a time, on threads of the listener's own; 0 for the threads that all listeners share;
 *     {@code null} for the factory's choice
 * @param autoStartup whether it starts with the application; {@code null} for the factory's choice
 * @param ackMode who says that a tensor is processed
 * @param errorHandler decides about failures; {@code null} for the factory's choice
 * @param handler what it does with a tensor
 */
public record TensorListenerEndpoint(
        String id,
        List<String> names,
        List<String> peers,
        @Nullable Integer concurrency,
        @Nullable Boolean autoStartup,
        AckMode ackMode,
        @Nullable TensorListenerErrorHandler errorHandler,
        TensorHandler handler) {

    private static final List<String> ALL = List.of("*");

    /** The highest concurrency. */
    public static final int MAX_CONCURRENCY = 1024;

    public TensorListenerEndpoint {
        require(!id.isBlank(), id, "needs an id");
        names = List.copyOf(names);
        peers = List.copyOf(peers);
        require(!names.isEmpty(), id, "needs a pattern of names");
        require(!peers.isEmpty(), id, "needs a pattern of peers");
        require(
                concurrency == null || (concurrency >= 0 && concurrency <= MAX_CONCURRENCY),
                id,
                "has a concurrency of " + concurrency + ", which must be from 0 to " + MAX_CONCURRENCY);
    }

    private static void require(boolean fits, String id, String rule) {
        if (!fits) {
            throw new IllegalArgumentException("Tensor listener '" + id + "' " + rule);
        }
    }

    /**
     * A listener of all tensors, in {@link AckMode#AUTO}: each tensor is closed when the receiver returns.
     *
     * @param id unique name of the listener
     */
    public static TensorListenerEndpoint of(String id, TensorReceiver receiver) {
        return new TensorListenerEndpoint(
                id, ALL, ALL, null, null, AckMode.AUTO, null, (tensor, answer) -> receiver.receive(tensor));
    }

    /**
     * A listener of all tensors, in {@link AckMode#MANUAL}.
     *
     * @param id unique name of the listener
     */
    public static TensorListenerEndpoint manual(String id, TensorHandler handler) {
        return new TensorListenerEndpoint(id, ALL, ALL, null, null, AckMode.MANUAL, null, handler);
    }

    /** The same for tensors whose names fit one of these patterns. */
    public TensorListenerEndpoint withNames(String... patterns) {
        return new TensorListenerEndpoint(
                id, List.of(patterns), peers, concurrency, autoStartup, ackMode, errorHandler, handler);
    }

    /** The same for peers whose names fit one of these patterns. */
    public TensorListenerEndpoint withPeers(String... patterns) {
        return new TensorListenerEndpoint(
                id, names, List.of(patterns), concurrency, autoStartup, ackMode, errorHandler, handler);
    }

    /** The same with so many calls at a time, on threads of its own; 0 for the threads that all listeners share. */
    public TensorListenerEndpoint withConcurrency(int calls) {
        return new TensorListenerEndpoint(id, names, peers, calls, autoStartup, ackMode, errorHandler, handler);
    }

    /** The same, started with the application or not. */
    public TensorListenerEndpoint withAutoStartup(boolean start) {
        return new TensorListenerEndpoint(id, names, peers, concurrency, start, ackMode, errorHandler, handler);
    }

    /** The same with an error handler. */
    public TensorListenerEndpoint withErrorHandler(TensorListenerErrorHandler value) {
        return new TensorListenerEndpoint(id, names, peers, concurrency, autoStartup, ackMode, value, handler);
    }
}

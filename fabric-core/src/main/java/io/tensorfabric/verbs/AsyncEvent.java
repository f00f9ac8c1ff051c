package io.tensorfabric.verbs;

import org.jspecify.annotations.Nullable;

/**
 * An asynchronous event of a device; see {@code ibv_get_async_event(3)}.
 *
 * @param type kind
 * @param element the {@link QueuePair}, {@link CompletionQueue} or {@link SharedReceiveQueue} concerned, or {@code null}
 * @param port number of the port concerned, or 0
 */
public record AsyncEvent(AsyncEventType type, @Nullable VerbsResource element, int port) {}

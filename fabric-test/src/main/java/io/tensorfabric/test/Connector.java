package io.tensorfabric.test;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.QueuePairConnectionManager;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Ties transfers to connections that are made after them. */
final class Connector implements Function<String, CompletableFuture<Connection>> {

    volatile @Nullable QueuePairConnectionManager connections;

    @Override
    public CompletableFuture<Connection> apply(String peer) {
        QueuePairConnectionManager made = connections;
        if (made == null) {
            throw new IllegalStateException("The connections are not made yet");
        }
        return made.connect(peer);
    }
}

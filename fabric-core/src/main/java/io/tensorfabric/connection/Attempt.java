package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** An own negotiation: with whom, how it ends, and whether it gave way to one of the peer's. Thread-safe. */
final class Attempt {

    private final CompletableFuture<Connection> outcome = new CompletableFuture<>();

    private volatile @Nullable NodeIdentity peer;

    private volatile @Nullable FabricConnection winner;

    private final CompletableFuture<Connection> won = new CompletableFuture<>();

    /** Ends with a connection to the peer, of this negotiation or of the one that it gave way to. */
    CompletableFuture<Connection> outcome() {
        return outcome;
    }

    /** The peer's identity became known. */
    void learned(NodeIdentity identity) {
        peer = identity;
    }

    /** Whether it is with this life of a node. */
    boolean isWith(NodeIdentity identity) {
        return identity.equals(peer);
    }

    boolean hasYielded() {
        return winner != null;
    }

    /** Gives way: the outcome is the winner's. */
    void yieldTo(FabricConnection connection) {
        winner = connection;
        var unused = connection.whenUp().whenComplete((up, error) -> {
            if (error == null) {
                won.complete(up);
                outcome.complete(up);
            } else {
                won.completeExceptionally(error);
                outcome.completeExceptionally(error);
            }
        });
    }

    /** Ends when a connection that it gave way to has come UP or failed. */
    CompletableFuture<Connection> won() {
        return won;
    }

    /** The cause of a failed negotiation. */
    static ConnectionException failure(String peer, Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof ConnectionException failure
                ? failure
                : new ConnectionException(
                        Kind.UNREACHABLE, peer, "Connecting to " + peer + " failed: " + cause, null, cause);
    }

    /** A future of the caller's own, which fails with the cause itself. */
    static CompletableFuture<Connection> copy(CompletableFuture<Connection> future) {
        CompletableFuture<Connection> copy = new CompletableFuture<>();
        var unused = future.whenComplete((connection, error) -> {
            if (error == null) {
                copy.complete(connection);
            } else {
                copy.completeExceptionally(error);
            }
        });
        return copy;
    }
}

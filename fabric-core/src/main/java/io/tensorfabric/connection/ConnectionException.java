package io.tensorfabric.connection;

import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/** A connection could not be made, or was lost. The message names the peer, the cause and what to do. */
public class ConnectionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What kind of failure, which decides over retries and over the answer to a negotiating peer. */
    public enum Kind {
        /** The peer is not configured or not known. */
        UNKNOWN_PEER,
        /** The peer cannot be reached or did not answer in time; trying again may help. */
        UNREACHABLE,
        /** The peer, or this node, refused: wrong credentials, version, or rights. Trying again does not help. */
        REFUSED,
        /** The request makes no sense. */
        MALFORMED,
        /** A connection of that id, or a crossing one that wins, exists. */
        CONFLICT,
        /** No such connection. */
        NOT_FOUND,
        /** The peer publishes no tensor of that name, or no more. */
        NOT_PUBLISHED,
        /** A limit of this node or of the peer is reached. */
        LIMIT,
        /** The connection was lost while in use. */
        LOST,
        /** This node is shutting down. */
        CLOSED
    }

    private final Kind kind;

    private final String peer;

    private final @Nullable WorkCompletionStatus status;

    /**
     * A failure that no work completion or other exception caused.
     *
     * @param kind what went wrong
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     */
    public ConnectionException(Kind kind, String peer, String message) {
        this(kind, peer, message, null, null);
    }

    /**
     * A failure with its cause.
     *
     * @param kind what went wrong
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param status status of the work completion that told, {@code null} if none did
     * @param cause the exception that led here, {@code null} if none did
     */
    public ConnectionException(
            Kind kind, String peer, String message, @Nullable WorkCompletionStatus status, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.peer = peer;
        this.status = status;
    }

    /** The kind of failure. */
    public Kind kind() {
        return kind;
    }

    /** Name or node id of the peer. */
    public String peer() {
        return peer;
    }

    /** The work-completion status that was the first error, if one was. */
    public @Nullable WorkCompletionStatus status() {
        return status;
    }
}

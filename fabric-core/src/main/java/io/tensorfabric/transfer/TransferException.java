package io.tensorfabric.transfer;

import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * A transfer failed. The message names tensor, peer, cause and what to do; the class is what to catch, and the kind is the
 * coarser answer to whose fault it was. {@link TransferExceptionTranslator} makes them.
 */
public abstract class TransferException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What kind of failure. */
    public enum Kind {
        /** The peer is not configured. */
        UNKNOWN_PEER,
        /** No connection could be made, or it was lost and retries are used up. */
        PEER_LOST,
        /** The deadline passed. */
        DEADLINE,
        /** The peer refused the tensor: no listener, no budget, checksum, or malformed. */
        REJECTED,
        /** The peer's listener threw. */
        LISTENER_FAILED,
        /** A queue, pool or budget here is full, and waiting was not wanted or took too long. */
        BACKPRESSURE,
        /** The caller's arguments do not fit. */
        INVALID,
        /** The caller cancelled. */
        CANCELLED,
        /** This node is shutting down. */
        CLOSED
    }

    private final Kind kind;

    private final String peer;

    private final @Nullable WorkCompletionStatus status;

    private final boolean retryable;

    /**
     * A failure with its cause.
     *
     * @param kind what went wrong
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param status status of the work completion that told, {@code null} if none did
     * @param cause the exception that led here, {@code null} if none did
     * @param retryable whether the same may succeed later
     */
    TransferException(
            Kind kind,
            String peer,
            String message,
            @Nullable WorkCompletionStatus status,
            @Nullable Throwable cause,
            boolean retryable) {
        super(message, cause);
        this.kind = kind;
        this.peer = peer;
        this.status = status;
        this.retryable = retryable;
    }

    /** The kind of failure. */
    public Kind kind() {
        return kind;
    }

    /**
     * Whether the same call may succeed later without anybody changing anything: room comes back, peers do. The fabric has
     * tried again already where it could.
     */
    public boolean isRetryable() {
        return retryable;
    }

    /** Name of the peer. */
    public String peer() {
        return peer;
    }

    /** The work-completion status behind it, if there was one. */
    public @Nullable WorkCompletionStatus status() {
        return status;
    }
}

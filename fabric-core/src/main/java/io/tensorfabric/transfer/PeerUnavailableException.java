package io.tensorfabric.transfer;

import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/** No connection to the peer could be made, it is shutting down, or its circuit breaker is open. Nothing of this attempt
 * reached it. */
public final class PeerUnavailableException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param status status of the work completion that told, {@code null} if none did
     * @param cause the exception that led here, {@code null} if none did
     * @param retryable whether the same may succeed later
     */
    public PeerUnavailableException(
            String peer,
            String message,
            @Nullable WorkCompletionStatus status,
            @Nullable Throwable cause,
            boolean retryable) {
        super(Kind.PEER_LOST, peer, message, status, cause, retryable);
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/** There is no room for the transfer now: a queue, pool, zone or budget of this node or of the peer is full. Try again later,
 * or raise the limit that the message names. */
public final class BackpressureException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param status status of the work completion that told, {@code null} if none did
     * @param cause the exception that led here, {@code null} if none did
     */
    public BackpressureException(
            String peer, String message, @Nullable WorkCompletionStatus status, @Nullable Throwable cause) {
        super(Kind.BACKPRESSURE, peer, message, status, cause, true);
    }
}

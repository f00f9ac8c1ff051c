package io.tensorfabric.transfer;

import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/** The connection to the peer was lost during the transfer, and its retries are used up. The peer may have the tensor or not;
 * a push that is made again is another push to it. */
public final class ConnectionLostException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param status status of the work completion that told, {@code null} if none did
     * @param cause the exception that led here, {@code null} if none did
     */
    public ConnectionLostException(
            String peer, String message, @Nullable WorkCompletionStatus status, @Nullable Throwable cause) {
        super(Kind.PEER_LOST, peer, message, status, cause, true);
    }
}

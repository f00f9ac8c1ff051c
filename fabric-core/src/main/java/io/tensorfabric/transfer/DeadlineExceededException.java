package io.tensorfabric.transfer;

import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/** The deadline passed before the transfer ended. */
public final class DeadlineExceededException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param status status of the work completion that told, {@code null} if none did
     * @param cause the exception that led here, {@code null} if none did
     */
    public DeadlineExceededException(
            String peer, String message, @Nullable WorkCompletionStatus status, @Nullable Throwable cause) {
        super(Kind.DEADLINE, peer, message, status, cause, true);
    }
}

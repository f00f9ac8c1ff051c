package io.tensorfabric.transfer;

import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/** A device refused or failed work of the transfer, and trying again did not help: {@link #status()} says what the work
 * completion told, unless the device did not take the work at all. */
public final class DeviceFailureException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param status status of the work completion that told, {@code null} if none did
     * @param cause the exception that led here, {@code null} if none did
     */
    public DeviceFailureException(
            String peer, String message, @Nullable WorkCompletionStatus status, @Nullable Throwable cause) {
        super(Kind.PEER_LOST, peer, message, status, cause, false);
    }
}

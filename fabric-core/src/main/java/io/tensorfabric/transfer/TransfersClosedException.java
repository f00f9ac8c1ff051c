package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** This node is shutting down, or its fabric does not run. */
public final class TransfersClosedException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public TransfersClosedException(String peer, String message, @Nullable Throwable cause) {
        super(Kind.CLOSED, peer, message, null, cause, false);
    }
}

package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** The published tensor is of another type, shape or size than what was to be read or written. Nothing was. */
public final class TensorMismatchException extends TransferRejectedException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public TensorMismatchException(String peer, String message, @Nullable Throwable cause) {
        super(peer, message, cause);
    }
}

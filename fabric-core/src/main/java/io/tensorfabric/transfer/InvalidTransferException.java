package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** What the caller asked for cannot be done with these arguments. */
public final class InvalidTransferException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public InvalidTransferException(String peer, String message, @Nullable Throwable cause) {
        super(Kind.INVALID, peer, message, null, cause, false);
    }
}

package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** The caller cancelled the transfer, or was interrupted while it waited for it. */
public final class TransferCancelledException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public TransferCancelledException(String peer, String message, @Nullable Throwable cause) {
        super(Kind.CANCELLED, peer, message, null, cause, false);
    }
}

package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** The peer did not take the transfer, for a reason that trying again does not change. */
public class TransferRejectedException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public TransferRejectedException(String peer, String message, @Nullable Throwable cause) {
        super(Kind.REJECTED, peer, message, null, cause, false);
    }

    TransferRejectedException(Kind kind, String peer, String message, @Nullable Throwable cause) {
        super(kind, peer, message, null, cause, false);
    }
}

package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** What arrived has another checksum than what was sent, so nobody got it. Bytes changed on the way, or while they were sent. */
public final class ChecksumMismatchException extends TransferRejectedException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public ChecksumMismatchException(String peer, String message, @Nullable Throwable cause) {
        super(peer, message, cause);
    }
}

package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** The peer does not let tensors land in memory of the kind that the push asked for. Nothing was written. */
public final class LandingUnavailableException extends TransferRejectedException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public LandingUnavailableException(String peer, String message, @Nullable Throwable cause) {
        super(peer, message, cause);
    }
}

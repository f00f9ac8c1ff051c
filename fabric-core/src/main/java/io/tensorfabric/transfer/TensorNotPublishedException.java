package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** The peer publishes no tensor of that name, or has closed it. Nothing was read or written. */
public final class TensorNotPublishedException extends TransferRejectedException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public TensorNotPublishedException(String peer, String message, @Nullable Throwable cause) {
        super(peer, message, cause);
    }
}

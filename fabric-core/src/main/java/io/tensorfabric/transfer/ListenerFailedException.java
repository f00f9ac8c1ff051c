package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** The peer has the tensor, and its listener threw. */
public final class ListenerFailedException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public ListenerFailedException(String peer, String message, @Nullable Throwable cause) {
        super(Kind.LISTENER_FAILED, peer, message, null, cause, false);
    }
}

package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** There is no peer of that name here. Configure it, or correct the name. */
public final class UnknownPeerException extends TransferException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param cause the exception that led here, {@code null} if none did
     */
    public UnknownPeerException(String peer, String message, @Nullable Throwable cause) {
        super(Kind.UNKNOWN_PEER, peer, message, null, cause, false);
    }
}

package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/** This node lacks the right, or the credentials, for what it asked of the peer; or the two are not to be connected, as of
 * different versions or kinds of devices. */
public final class TransferNotPermittedException extends TransferRejectedException {

    private static final long serialVersionUID = 1L;

    /**
     * A failure with its cause.
     *
     * @param peer the peer's name
     * @param message what failed and what to do, without keys or addresses
     * @param connected whether there is a connection, over which only this was refused
     * @param cause the exception that led here, {@code null} if none did
     */
    public TransferNotPermittedException(String peer, String message, boolean connected, @Nullable Throwable cause) {
        super(connected ? Kind.REJECTED : Kind.PEER_LOST, peer, message, cause);
    }
}

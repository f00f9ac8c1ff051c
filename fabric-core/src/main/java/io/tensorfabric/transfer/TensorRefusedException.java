package io.tensorfabric.transfer;

import org.jspecify.annotations.Nullable;

/**
 * A listener throws it to refuse a tensor that it cannot take: its store is full, or it never takes such tensors. That is no
 * failure of the listener: it is logged in one line at most every few seconds, and a sender that waits for PROCESSED hears
 * the reason, as {@link TransferException.Kind#BACKPRESSURE} when trying later may help, else as
 * {@link TransferException.Kind#REJECTED}.
 */
public class TensorRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean temporary;

    /**
     * A refusal.
     *
     * @param message why, for the sender: without secrets
     * @param temporary whether the same tensor may be taken later
     */
    public TensorRefusedException(String message, boolean temporary) {
        this(message, temporary, null);
    }

    /**
     * A refusal with its cause, which stays at this node.
     *
     * @param message why, for the sender: without secrets
     * @param temporary whether the same tensor may be taken later
     * @param cause what led here, {@code null} if nothing did
     */
    public TensorRefusedException(String message, boolean temporary, @Nullable Throwable cause) {
        super(message, cause);
        this.temporary = temporary;
    }

    /** Whether the same tensor may be taken later. */
    public boolean isTemporary() {
        return temporary;
    }
}

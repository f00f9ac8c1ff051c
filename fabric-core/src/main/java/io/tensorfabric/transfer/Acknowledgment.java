package io.tensorfabric.transfer;

/**
 * The answer of a listener that a tensor was processed, given when the listener likes instead of by returning: see
 * {@link ReceivedTensor#defer()}. The first call of any of the methods counts, later ones do nothing. Thread-safe.
 */
public interface Acknowledgment {

    /** The tensor is processed: a sender that waits for PROCESSED gets its receipt. */
    void acknowledge();

    /**
     * The tensor is not processed. A sender that waits for PROCESSED hears the reason.
     *
     * @param reason why, without secrets; a {@link TensorRefusedException} refuses the tensor, any other is a failure of the
     *     listener
     */
    void fail(Throwable reason);

    /** Whether the answer was given. */
    boolean isEnded();
}

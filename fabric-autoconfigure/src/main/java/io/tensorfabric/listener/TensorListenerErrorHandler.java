package io.tensorfabric.listener;

import io.tensorfabric.transfer.ReceivedTensor;

/**
 * Decides about a tensor whose listener threw. Runs on the listener's thread and may block. Without one, each exception fails
 * the tensor. Interruptions and refusals ({@link io.tensorfabric.transfer.TensorRefusedException}) do not come here.
 */
@FunctionalInterface
public interface TensorListenerErrorHandler {

    /**
     * Looks at a failure. Returning means that it is dealt with: the tensor counts as processed.
     *
     * @param failure what the listener threw
     * @param tensor the tensor, still open
     * @throws Exception any: the tensor failed, and a sender that waits for PROCESSED hears why; a
     *     {@link io.tensorfabric.transfer.TensorRefusedException} refuses it instead
     */
    void handle(Exception failure, ReceivedTensor tensor) throws Exception;
}

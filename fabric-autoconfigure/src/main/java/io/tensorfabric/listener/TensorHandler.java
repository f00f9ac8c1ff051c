package io.tensorfabric.listener;

import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.ReceivedTensor;

/** What a listener does with a tensor. May block. */
@FunctionalInterface
public interface TensorHandler {

    /**
     * Takes a tensor.
     *
     * @param tensor closed by the container: in {@link AckMode#AUTO} when this returns, in {@link AckMode#MANUAL} when the
     *     acknowledgment is ended
     * @param acknowledgment to be ended in {@link AckMode#MANUAL}, also later and from another thread; not to be used in
     *     {@link AckMode#AUTO}
     * @throws Exception any: it goes to the error handler, but for a
     *     {@link io.tensorfabric.transfer.TensorRefusedException}, which refuses the tensor
     */
    void handle(ReceivedTensor tensor, Acknowledgment acknowledgment) throws Exception;
}

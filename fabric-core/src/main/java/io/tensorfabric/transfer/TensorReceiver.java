package io.tensorfabric.transfer;

/** What a listener does with a tensor. Runs on a listener thread and may block. */
@FunctionalInterface
public interface TensorReceiver {

    /**
     * Takes a tensor. Returning tells a sender that waits for PROCESSED that it is done, unless the answer was put off with
     * {@link ReceivedTensor#defer()}.
     *
     * @param tensor owned by the receiver of this call, which closes it (also later, from another thread)
     * @throws Exception any: the fabric closes the tensor and tells the sender, if it waits for PROCESSED
     */
    void receive(ReceivedTensor tensor) throws Exception;
}

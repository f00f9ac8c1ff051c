package io.tensorfabric.transfer;

/** Where listeners are registered. Thread-safe. */
public interface TensorListenerRegistry {

    /**
     * Registers a listener. The first registered one whose patterns fit gets the tensor.
     *
     * @param id name of the listener, for logs
     * @param namePattern glob over tensor names: {@code *} stands for any characters, also none
     * @param peerPattern the same over names of peers
     * @return closing it ends the registration
     */
    Registration register(String id, String namePattern, String peerPattern, TensorReceiver receiver);

    /** A registered listener. */
    interface Registration extends AutoCloseable {

        /** Ends the registration: no call begins after it returned. Idempotent. */
        @Override
        void close();

        /**
         * Refuses tensors that this registration would get, before they are accepted: their senders hear of
         * {@link TransferException.Kind#BACKPRESSURE}, and no other listener gets them. Those accepted before still come.
         * Idempotent.
         */
        void pause();

        /** Ends {@link #pause()}. Idempotent. */
        void resume();
    }
}

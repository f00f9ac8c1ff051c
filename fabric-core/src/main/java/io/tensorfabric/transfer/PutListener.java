package io.tensorfabric.transfer;

/** Learns of what peers have put into a published tensor, one after the other, on a thread that may block. */
@FunctionalInterface
public interface PutListener {

    /**
     * All bytes of a put are in place. Returning tells a peer that waits for PROCESSED that it is done.
     *
     * @throws Exception any: the peer hears of it if it waits for PROCESSED; the bytes stay
     */
    void written(PutEvent put) throws Exception;
}

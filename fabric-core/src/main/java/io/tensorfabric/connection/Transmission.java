package io.tensorfabric.connection;

import java.nio.ByteBuffer;

/**
 * Work requests that go out in order on one lane with one doorbell. Reused by its lane: do not keep it. Used only by the
 * thread that began it.
 */
public interface Transmission {

    /** Most bytes of a message body. */
    int MAX_BODY = 4096 - 16;

    /**
     * Adds an RDMA WRITE.
     *
     * @param localAddress first byte to send
     * @param length bytes, at least 0, at most 1 GiB
     * @param lkey key of the local region
     * @param remoteAddress first byte to write at the peer
     * @param rkey key of the peer's grant for this lane
     */
    void write(long localAddress, int length, int lkey, long remoteAddress, int rkey);

    /** The same with an immediate, which consumes a receive (a credit) of the peer. */
    void writeWithImmediate(long localAddress, int length, int lkey, long remoteAddress, int rkey, int immediate);

    /** Adds an RDMA READ of {@code length} bytes from the peer into local memory. */
    void read(long localAddress, int length, int lkey, long remoteAddress, int rkey);

    /**
     * Adds a message (a SEND) and opens its body, little endian, empty, with room for {@link #MAX_BODY} bytes; what lies
     * between 0 and its position at {@link #submit} is sent. At most one message a transmission, as its last request.
     *
     * @param type type of the message, from {@link MessageTypes#FIRST_TRANSFER_TYPE} on
     */
    ByteBuffer message(int type);

    /**
     * Posts everything with one doorbell and releases the lane.
     *
     * @param listener called exactly once when the device is done with all buffers of this transmission
     * @param token handed to the listener
     */
    void submit(TransmissionListener listener, long token);

    /** Releases the lane without posting anything. */
    void cancel();
}

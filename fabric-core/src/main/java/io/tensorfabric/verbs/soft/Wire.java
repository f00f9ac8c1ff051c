package io.tensorfabric.verbs.soft;

import java.io.IOException;

/**
 * Numbers of the wire protocol, version 3; {@code docs/soft-device.md} describes it field by field. All fields are in
 * network order.
 */
final class Wire {

    static final int VERSION = 3;

    /** {@code TFSD}. */
    static final int MAGIC = 0x54465344;

    /** Most payload bytes of one frame; longer messages take several. */
    static final int SEGMENT = 1 << 20;

    /** Largest message, as an InfiniBand port has it. */
    static final long MAX_MESSAGE = 1L << 31;

    static final int REQUEST_HEADER = 40;

    /** Follows the header of a frame whose payload lies in shared memory, instead of the payload. */
    static final int REFERENCE = 16;

    /** A header and the token of a block of shared memory. */
    static final int ANNOUNCEMENT = REQUEST_HEADER + 32;

    static final int RESPONSE_HEADER = 24;

    static final byte WRITE = 1;
    static final byte WRITE_IMM = 2;
    static final byte SEND = 3;
    static final byte SEND_IMM = 4;
    static final byte SEND_INV = 5;
    static final byte READ = 6;
    /** A further segment of the message under way. */
    static final byte CONTINUE = 7;
    /** A block of shared memory that later frames refer to. */
    static final byte ANNOUNCE = 8;
    /** What follows comes by the ring that was announced. */
    static final byte RING = 9;

    static final byte ACK = 1;
    static final byte NAK = 2;
    static final byte RNR = 3;
    static final byte READ_DATA = 4;
    /** The answer to an announcement. */
    static final byte SHARED = 5;
    /** A message whose payload is copied from shared memory goes on. */
    static final byte PROGRESS = 6;
    /** What follows comes by the ring. */
    static final byte RING_ANSWERS = 7;

    static final byte NAK_INVALID_REQUEST = 1;
    static final byte NAK_REMOTE_ACCESS = 2;
    static final byte NAK_REMOTE_OPERATION = 3;

    static final byte FLAG_SOLICITED = 1;
    static final byte FLAG_LAST = 2;
    static final byte FLAG_SHARED = 4;
    /** Of an announcement: the block holds the rings of this connection. */
    static final byte FLAG_RING = 8;

    private Wire() {}

    /** The peer broke the protocol, or an older connection's bytes are in the way: the connection is closed. */
    static final class ProtocolException extends IOException {

        private static final long serialVersionUID = 1L;

        ProtocolException(String message) {
            super(message);
        }
    }
}

package io.tensorfabric.verbs.soft;

import java.io.IOException;

/**
 * Numbers of the wire protocol, version 1; {@code docs/soft-device.md} describes it field by field. All fields are in
 * network order.
 */
final class Wire {

    static final int VERSION = 1;

    /** {@code TFSD}. */
    static final int MAGIC = 0x54465344;

    /** Most payload bytes of one frame; longer messages take several. */
    static final int SEGMENT = 1 << 20;

    /** Largest message, as an InfiniBand port has it. */
    static final long MAX_MESSAGE = 1L << 31;

    static final int REQUEST_HEADER = 40;

    static final int RESPONSE_HEADER = 24;

    static final byte WRITE = 1;
    static final byte WRITE_IMM = 2;
    static final byte SEND = 3;
    static final byte SEND_IMM = 4;
    static final byte SEND_INV = 5;
    static final byte READ = 6;
    /** A further segment of the message under way. */
    static final byte CONTINUE = 7;

    static final byte ACK = 1;
    static final byte NAK = 2;
    static final byte RNR = 3;
    static final byte READ_DATA = 4;

    static final byte NAK_INVALID_REQUEST = 1;
    static final byte NAK_REMOTE_ACCESS = 2;
    static final byte NAK_REMOTE_OPERATION = 3;

    static final byte FLAG_SOLICITED = 1;
    static final byte FLAG_LAST = 2;

    private Wire() {}

    /** The peer broke the protocol, or an older connection's bytes are in the way: the connection is closed. */
    static final class ProtocolException extends IOException {

        private static final long serialVersionUID = 1L;

        ProtocolException(String message) {
            super(message);
        }
    }
}

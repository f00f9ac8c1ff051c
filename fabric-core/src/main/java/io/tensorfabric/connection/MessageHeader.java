package io.tensorfabric.connection;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The header of a data-path message, little endian:
 *
 * <pre>
 * offset size field
 *      0    1 version of the data path, {@link #VERSION}
 *      1    1 type, see {@link MessageTypes}
 *      2    2 credits returned for the lane that the message came on, unsigned
 *      4    4 bytes of the body
 *      8    8 number of the message on its lane and direction, counted from 0
 * </pre>
 */
final class MessageHeader {

    static final int VERSION = 1;

    static final int SIZE = 16;

    /** Bytes of a send or receive slot. */
    static final int SLOT = SIZE + Transmission.MAX_BODY;

    private MessageHeader() {}

    static void write(ByteBuffer slot, int type, int credits, int bodyLength, long sequence) {
        slot.put(0, (byte) VERSION);
        slot.put(1, (byte) type);
        slot.putShort(2, (short) credits);
        slot.putInt(4, bodyLength);
        slot.putLong(8, sequence);
    }

    static int type(ByteBuffer slot) {
        return slot.get(1) & 0xff;
    }

    static int credits(ByteBuffer slot) {
        return slot.getShort(2) & 0xffff;
    }

    static int bodyLength(ByteBuffer slot) {
        return slot.getInt(4);
    }

    /**
     * What is wrong with a message, in words without its content; {@code null} if nothing is.
     *
     * @param bytes how many came
     * @param sequence number that is expected
     */
    static @Nullable String objection(ByteBuffer slot, int bytes, long sequence) {
        if (bytes < SIZE || bytes > SLOT) {
            return "it has " + bytes + " bytes, not " + SIZE + " to " + SLOT;
        }
        if (slot.get(0) != VERSION) {
            return "its version is " + (slot.get(0) & 0xff) + ", not " + VERSION;
        }
        if (bodyLength(slot) != bytes - SIZE) {
            return "it says that its body has " + Integer.toUnsignedString(bodyLength(slot)) + " bytes, but "
                    + (bytes - SIZE) + " came";
        }
        int type = type(slot);
        if (type < MessageTypes.HELLO || (type > MessageTypes.GOODBYE && type < MessageTypes.FIRST_TRANSFER_TYPE)) {
            return "its type " + type + " is not known";
        }
        if (slot.getLong(8) != sequence) {
            return "its number is " + slot.getLong(8) + ", not " + sequence;
        }
        return null;
    }
}

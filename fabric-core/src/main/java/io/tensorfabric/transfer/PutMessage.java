package io.tensorfabric.transfer;

import java.nio.ByteBuffer;

/**
 * Reader of PUT messages, which follow bytes that were written into a published tensor. Everything is checked before it is
 * used.
 *
 * @param transferId number of the put at its sender
 * @param attempt from 1 on
 * @param wanted receipt that the sender waits for
 * @param checksummed whether a checksum goes along
 * @param checksum CRC32C of what was written
 * @param zoneId the granted access
 * @param offset of the first byte in the tensor
 * @param length bytes
 */
record PutMessage(
        long transferId,
        int attempt,
        ReceiptLevel wanted,
        boolean checksummed,
        int checksum,
        int zoneId,
        long offset,
        long length) {

    /** Bytes of a body. */
    static final int SIZE = 40;

    private static final ReceiptLevel[] LEVELS = ReceiptLevel.values();

    /**
     * Reads a message body, little endian, from position to limit.
     *
     * @throws ProtocolViolation if it is anything but a whole and valid message
     */
    static PutMessage read(ByteBuffer body) {
        ProtocolViolation.unless(body.remaining() == SIZE, "a PUT message has another length than " + SIZE);
        int start = body.position();
        int flags = Short.toUnsignedInt(body.getShort(start + 10));
        int level = Byte.toUnsignedInt(body.get(start + 12));
        boolean checksummed = (flags & TensorMessage.FLAG_CHECKSUM) != 0;
        int checksum = body.getInt(start + 20);
        long offset = body.getLong(start + 24);
        long length = body.getLong(start + 32);
        int attempt = Short.toUnsignedInt(body.getShort(start + 8));
        ProtocolViolation.unless(attempt > 0, "a PUT message has attempt 0");
        ProtocolViolation.unless((flags & ~TensorMessage.FLAG_CHECKSUM) == 0, "a PUT message has unknown flags");
        ProtocolViolation.unless(checksummed || checksum == 0, "a PUT message has a checksum without its flag");
        ProtocolViolation.unless(level < LEVELS.length, "a PUT message asks for an unknown receipt");
        ProtocolViolation.unless(
                body.get(start + 13) == 0 && body.getShort(start + 14) == 0,
                "a PUT message has something where nothing is defined");
        ProtocolViolation.unless(offset >= 0 && length >= 0, "a PUT message has a negative range");
        return new PutMessage(
                body.getLong(start),
                attempt,
                LEVELS[level],
                checksummed,
                checksum,
                body.getInt(start + 16),
                offset,
                length);
    }

    /** Writes a message body at the buffer's position. */
    static void write(
            ByteBuffer body,
            long transferId,
            int attempt,
            PushOptions options,
            int checksum,
            int zoneId,
            long offset,
            long length) {
        body.putLong(transferId);
        body.putShort((short) attempt);
        body.putShort((short) (options.checksum() ? TensorMessage.FLAG_CHECKSUM : 0));
        body.put((byte) options.receipt().ordinal());
        body.put((byte) 0);
        body.putShort((short) 0);
        body.putInt(zoneId);
        body.putInt(options.checksum() ? checksum : 0);
        body.putLong(offset);
        body.putLong(length);
    }
}

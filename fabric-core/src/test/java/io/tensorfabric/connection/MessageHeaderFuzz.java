package io.tensorfabric.connection;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/** Fuzz target: headers of data-path messages and greetings. What is taken must be written back as the same bytes. */
public final class MessageHeaderFuzz {

    private static final UUID ID = UUID.fromString("0b1e5a2c-0000-4000-8000-000000000001");

    private static final long SEQUENCE = 5;

    private MessageHeaderFuzz() {}

    /** Runs one input, which is a message as it came; called by the fuzzer by name. */
    public static void fuzzerTestOneInput(byte[] data) {
        ByteBuffer slot = ByteBuffer.allocate(MessageHeader.SLOT).order(ByteOrder.LITTLE_ENDIAN);
        slot.put(data, 0, Math.min(data.length, MessageHeader.SLOT)).clear();
        String objection = MessageHeader.objection(slot, data.length, SEQUENCE);
        if (objection == null) {
            accepted(slot, data.length);
        } else if (objection.isEmpty() || objection.length() > 200) {
            throw new IllegalStateException("A message was refused in no words, or too many");
        }
    }

    private static void accepted(ByteBuffer slot, int bytes) {
        ByteBuffer again = ByteBuffer.allocate(MessageHeader.SLOT).order(ByteOrder.LITTLE_ENDIAN);
        MessageHeader.write(
                again, MessageHeader.type(slot), MessageHeader.credits(slot), MessageHeader.bodyLength(slot), SEQUENCE);
        if (!again.slice(0, MessageHeader.SIZE).equals(slot.slice(0, MessageHeader.SIZE))) {
            throw new IllegalStateException("A header that was taken is written differently");
        }
        int length = MessageHeader.bodyLength(slot);
        if (length < 0 || length + MessageHeader.SIZE != bytes) {
            throw new IllegalStateException("A body was taken of another length than came");
        }
        ByteBuffer body = slot.slice(MessageHeader.SIZE, length).order(ByteOrder.LITTLE_ENDIAN);
        boolean own = length >= 16
                && body.getLong(0) == ID.getMostSignificantBits()
                && body.getLong(8) == ID.getLeastSignificantBits();
        Handshake handshake = new Handshake(ID.toString(), 1, true);
        if (handshake.greeted(0, body) != own || handshake.done().isDone() != own) {
            throw new IllegalStateException("A greeting of another connection was taken, or one's own was not");
        }
    }
}

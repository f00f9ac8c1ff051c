package io.tensorfabric.transfer;

import io.tensorfabric.connection.Transmission;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Answers of a receiver that wait for their lane, in order, and their form on the wire. All that wait go out together, up
 * to the size of a message: under load a lane carries one message for many tensors. Grows, never drops, reuses its
 * arrays. Not thread-safe.
 */
final class Answers {

    static final int ACCEPTED = 1;
    static final int PROCESSED = 2;
    static final int REJECTED = 3;
    /** The room of a tensor is free again. */
    static final int RELEASE = 4;
    /** The granting node wants a dedicated zone back. */
    static final int RETIRE = 5;
    /** The writing node gives a dedicated zone back and will not write to it again. */
    static final int RETIRED = 6;
    /** The sender is done with a group. */
    static final int GROUP_OVER = 7;

    /** Longest text of a refusal in bytes. */
    static final int MAX_TEXT = 512;

    /** Count and four reserved bytes... */
    private static final int HEADER = 8;

    /** ...then for each answer: kind, code, text length, zone, two numbers. */
    private static final int ENTRY = 24;

    private byte[] kinds = new byte[16];
    private byte[] codes = new byte[16];
    private int[] zones = new int[16];
    private long[] firsts = new long[16];
    private long[] seconds = new long[16];
    private @Nullable String[] texts = new @Nullable String[16];
    private int head;
    private int count;

    /** What a receiver of answers does with each. */
    interface Visitor {

        void accepted(long transferId);

        void processed(long transferId);

        void rejected(long transferId, RejectCode code, String text);

        void released(int zoneId, long offset, long length);

        void retire(int zoneId);

        void retired(int zoneId);

        void groupOver(long groupId, int messages);
    }

    boolean isEmpty() {
        return count == 0;
    }

    void clear() {
        while (count > 0) {
            dropHead();
        }
    }

    void accepted(long transferId) {
        add(ACCEPTED, 0, 0, transferId, 0, null);
    }

    void processed(long transferId) {
        add(PROCESSED, 0, 0, transferId, 0, null);
    }

    void rejected(long transferId, RejectCode code, String text) {
        add(REJECTED, code.code(), 0, transferId, 0, Utf8.truncate(text, MAX_TEXT));
    }

    void released(int zoneId, long offset, long length) {
        add(RELEASE, 0, zoneId, offset, length, null);
    }

    void retire(int zoneId) {
        add(RETIRE, 0, zoneId, 0, 0, null);
    }

    void retired(int zoneId) {
        add(RETIRED, 0, zoneId, 0, 0, null);
    }

    void groupOver(long groupId, int messages) {
        add(GROUP_OVER, 0, messages, groupId, 0, null);
    }

    private void add(int kind, int code, int zone, long first, long second, @Nullable String text) {
        if (count == kinds.length) {
            grow();
        }
        int slot = head + count & kinds.length - 1;
        kinds[slot] = (byte) kind;
        codes[slot] = (byte) code;
        zones[slot] = zone;
        firsts[slot] = first;
        seconds[slot] = second;
        texts[slot] = text;
        count++;
    }

    private void grow() {
        int size = kinds.length;
        kinds = Arrays.copyOf(kinds, size * 2);
        codes = Arrays.copyOf(codes, size * 2);
        zones = Arrays.copyOf(zones, size * 2);
        firsts = Arrays.copyOf(firsts, size * 2);
        seconds = Arrays.copyOf(seconds, size * 2);
        texts = Arrays.copyOf(texts, size * 2);
        // The ring was full: what lies before its head follows its old end now.
        System.arraycopy(kinds, 0, kinds, size, head);
        System.arraycopy(codes, 0, codes, size, head);
        System.arraycopy(zones, 0, zones, size, head);
        System.arraycopy(firsts, 0, firsts, size, head);
        System.arraycopy(seconds, 0, seconds, size, head);
        System.arraycopy(texts, 0, texts, size, head);
    }

    /** Moves as many answers as fit into a message body, at the buffer's position. */
    void writeTo(ByteBuffer body) {
        int start = body.position();
        body.position(start + HEADER);
        int written = 0;
        while (count > 0) {
            String text = texts[head];
            int textBytes = text == null ? 0 : Utf8.length(text);
            if (body.position() - start + ENTRY + textBytes > Transmission.MAX_BODY) {
                break;
            }
            body.put(kinds[head]).put(codes[head]).putShort((short) textBytes);
            body.putInt(zones[head]).putLong(firsts[head]).putLong(seconds[head]);
            if (text != null) {
                Utf8.put(text, body);
            }
            dropHead();
            written++;
        }
        body.putInt(start, written);
        body.putInt(start + Integer.BYTES, 0);
    }

    private void dropHead() {
        texts[head] = null;
        head = head + 1 & kinds.length - 1;
        count--;
    }

    /**
     * Reads a message body from position to limit. The visitor sees answers before a later one may turn out wrong.
     *
     * @throws ProtocolViolation if it is anything but whole and valid answers
     */
    static void read(ByteBuffer body, Visitor visitor) {
        ProtocolViolation.unless(body.remaining() >= HEADER, "an ANSWERS message is too short");
        int entries = body.getInt();
        ProtocolViolation.unless(body.getInt() == 0, "an ANSWERS message has unknown fields");
        ProtocolViolation.unless(
                entries > 0 && entries <= Transmission.MAX_BODY / ENTRY, "an ANSWERS message has a wrong count");
        for (int i = 0; i < entries; i++) {
            ProtocolViolation.unless(body.remaining() >= ENTRY, "an ANSWERS message ends inside an answer");
            readEntry(body, visitor);
        }
        ProtocolViolation.unless(!body.hasRemaining(), "an ANSWERS message goes on after its end");
    }

    private static void readEntry(ByteBuffer body, Visitor visitor) {
        int kind = body.get();
        int code = Byte.toUnsignedInt(body.get());
        int textBytes = Short.toUnsignedInt(body.getShort());
        int zone = body.getInt();
        long first = body.getLong();
        long second = body.getLong();
        boolean rejected = kind == REJECTED;
        ProtocolViolation.unless(rejected || (code == 0 && textBytes == 0), "an answer has fields of another kind");
        ProtocolViolation.unless(
                textBytes <= MAX_TEXT && textBytes <= body.remaining(), "an answer has too long a text");
        ProtocolViolation.unless(zone == 0 || kind >= RELEASE, "an answer has fields of another kind");
        ProtocolViolation.unless(second == 0 || kind == RELEASE, "an answer has fields of another kind");
        ProtocolViolation.unless(
                first == 0 || kind <= RELEASE || kind == GROUP_OVER, "an answer has fields of another kind");
        switch (kind) {
            case ACCEPTED -> visitor.accepted(first);
            case PROCESSED -> visitor.processed(first);
            case REJECTED -> {
                RejectCode reason = RejectCode.ofCode(code);
                visitor.rejected(first, reason, Utf8.get(body, textBytes, "the text of an answer"));
            }
            case RELEASE -> visitor.released(zone, first, second);
            case RETIRE -> visitor.retire(zone);
            case RETIRED -> visitor.retired(zone);
            case GROUP_OVER -> visitor.groupOver(first, zone);
            default -> throw new ProtocolViolation("an answer has the unknown kind " + kind);
        }
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.connection.Transmission;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.TensorDescriptor;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reader of TENSOR messages, reused for one after the other: fields are those of the last {@link #read}. Everything is
 * checked before it is used, and nothing is allocated by an unchecked length. Not thread-safe.
 */
final class TensorMessage {

    /** Bytes before the dimensions. */
    static final int FIXED = 48;

    /** A CRC32C goes along. */
    static final int FLAG_CHECKSUM = 1;

    /** It is to land in memory of the host. */
    static final int FLAG_HOST = 1 << 1;

    /** It is to land in memory of a GPU. */
    static final int FLAG_DEVICE = 1 << 2;

    /** Listeners hear of it together with others. */
    static final int FLAG_GROUP = 1 << 3;

    private static final int FLAGS = FLAG_CHECKSUM | FLAG_HOST | FLAG_DEVICE | FLAG_GROUP;

    /** Number and size. */
    private static final int GROUP = Long.BYTES + Integer.BYTES;

    private static final ReceiptLevel[] LEVELS = ReceiptLevel.values();

    private final DescriptorCache descriptors = new DescriptorCache();

    private long transferId;
    private int attempt;
    private boolean checksummed;
    private int checksum;
    private ReceiptLevel wanted = ReceiptLevel.PLACED;
    private LandingKind landing = LandingKind.ANY;
    private int zoneId;
    private long offset;
    private long length;
    private TensorDescriptor descriptor = DescriptorCache.NONE;
    private Map<String, String> headers = Map.of();
    private @Nullable TensorGroup group;

    /**
     * Reads a message body, little endian, from position to limit.
     *
     * @throws ProtocolViolation if it is anything but a whole and valid message
     */
    void read(ByteBuffer body) {
        ProtocolViolation.unless(body.remaining() >= FIXED, "a TENSOR message is shorter than its fixed part");
        int start = body.position();
        transferId = body.getLong(start);
        attempt = Short.toUnsignedInt(body.getShort(start + 8));
        int flags = Short.toUnsignedInt(body.getShort(start + 10));
        int level = Byte.toUnsignedInt(body.get(start + 12));
        int dataType = Byte.toUnsignedInt(body.get(start + 13));
        int rank = Byte.toUnsignedInt(body.get(start + 14));
        zoneId = body.getInt(start + 16);
        checksum = body.getInt(start + 20);
        offset = body.getLong(start + 24);
        length = body.getLong(start + 32);
        int nameLength = Short.toUnsignedInt(body.getShort(start + 44));
        int headerCount = Short.toUnsignedInt(body.getShort(start + 46));
        ProtocolViolation.unless(attempt > 0, "a TENSOR message has attempt 0");
        ProtocolViolation.unless((flags & ~FLAGS) == 0, "a TENSOR message has unknown flags");
        checksummed = (flags & FLAG_CHECKSUM) != 0;
        landing = landing(flags);
        ProtocolViolation.unless(checksummed || checksum == 0, "a TENSOR message has a checksum without its flag");
        ProtocolViolation.unless(level < LEVELS.length, "a TENSOR message asks for an unknown receipt");
        wanted = LEVELS[level];
        ProtocolViolation.unless(
                body.get(start + 15) == 1 && body.getInt(start + 40) == 0, "a TENSOR message announces stripes");
        ProtocolViolation.unless(offset >= 0 && length >= 0, "a TENSOR message has a negative range");
        ProtocolViolation.unless(rank <= Shape.MAX_RANK, "a TENSOR message has too many dimensions");
        ProtocolViolation.unless(nameLength <= TensorDescriptor.MAX_NAME_BYTES, "a TENSOR message has too long a name");
        ProtocolViolation.unless(headerCount <= TransferMessages.MAX_HEADERS, "a TENSOR message has too many headers");
        int shapeAndName = rank * Long.BYTES + nameLength;
        ProtocolViolation.unless(
                body.remaining() - FIXED >= shapeAndName, "a TENSOR message ends inside its shape or name");
        descriptor = descriptors.read(body, start + FIXED, dataType, rank, nameLength);
        ProtocolViolation.unless(
                descriptor.byteLength() == length, "a TENSOR message has a length that is not that of its shape");
        body.position(start + FIXED + shapeAndName);
        headers = readHeaders(body, headerCount);
        group = (flags & FLAG_GROUP) == 0 ? null : readGroup(body);
        ProtocolViolation.unless(!body.hasRemaining(), "a TENSOR message goes on after its end");
    }

    private static TensorGroup readGroup(ByteBuffer body) {
        ProtocolViolation.unless(body.remaining() >= GROUP, "a TENSOR message ends before its group");
        long id = body.getLong();
        int size = body.getInt();
        ProtocolViolation.unless(
                size >= 2 && size <= TensorGroup.MAX_SIZE, "a TENSOR message has a group of no or too many tensors");
        return new TensorGroup(id, size);
    }

    private static LandingKind landing(int flags) {
        return switch (flags & (FLAG_HOST | FLAG_DEVICE)) {
            case 0 -> LandingKind.ANY;
            case FLAG_HOST -> LandingKind.HOST;
            case FLAG_DEVICE -> LandingKind.DEVICE;
            default -> throw new ProtocolViolation("a TENSOR message is to land in two kinds of memory");
        };
    }

    private static int flags(PushOptions options, LandingKind asked) {
        int wish = switch (asked) {
            case ANY -> 0;
            case HOST -> FLAG_HOST;
            case DEVICE -> FLAG_DEVICE;
        };
        return wish | (options.checksum() ? FLAG_CHECKSUM : 0);
    }

    private static Map<String, String> readHeaders(ByteBuffer body, int count) {
        if (count == 0) {
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        int total = 0;
        for (int i = 0; i < count; i++) {
            ProtocolViolation.unless(body.remaining() >= 2 * Short.BYTES, "a TENSOR message ends inside its headers");
            int keyLength = Short.toUnsignedInt(body.getShort());
            int valueLength = Short.toUnsignedInt(body.getShort());
            total += keyLength + valueLength;
            ProtocolViolation.unless(
                    total <= TransferMessages.MAX_HEADER_BYTES, "a TENSOR message has too long headers");
            ProtocolViolation.unless(
                    body.remaining() >= keyLength + valueLength, "a TENSOR message ends inside a header");
            String key = Utf8.get(body, keyLength, "the key of a header");
            String before = headers.put(key, Utf8.get(body, valueLength, "the value of a header"));
            ProtocolViolation.unless(before == null, "a TENSOR message has a header twice");
        }
        return Collections.unmodifiableMap(headers);
    }

    /**
     * Writes a message body at the buffer's position. The caller has checked name and headers with {@link #checkHeaders},
     * which together fit {@link Transmission#MAX_BODY} then.
     *
     * @param asked where it is to land, in place of what the options say
     */
    static void write(
            ByteBuffer body,
            long transferId,
            int attempt,
            PushOptions options,
            LandingKind asked,
            int checksum,
            int zoneId,
            long offset,
            TensorDescriptor descriptor) {
        int start = body.position();
        Shape shape = descriptor.shape();
        body.putLong(start, transferId);
        body.putShort(start + 8, (short) attempt);
        body.putShort(start + 10, (short) flags(options, asked));
        body.put(start + 12, (byte) options.receipt().ordinal());
        body.put(start + 13, (byte) descriptor.dataType().code());
        body.put(start + 14, (byte) shape.rank());
        body.put(start + 15, (byte) 1);
        body.putInt(start + 16, zoneId);
        body.putInt(start + 20, options.checksum() ? checksum : 0);
        body.putLong(start + 24, offset);
        body.putLong(start + 32, descriptor.byteLength());
        body.putInt(start + 40, 0);
        body.putShort(start + 46, (short) options.headers().size());
        body.position(start + FIXED);
        for (int i = 0; i < shape.rank(); i++) {
            body.putLong(shape.dim(i));
        }
        int name = body.position();
        Utf8.put(descriptor.name(), body);
        body.putShort(start + 44, (short) (body.position() - name));
        if (!options.headers().isEmpty()) {
            writeHeaders(body, options.headers());
        }
    }

    /**
     * Adds a group to a message body that was just written.
     *
     * @param start where the body begins
     */
    static void addGroup(ByteBuffer body, int start, TensorGroup group) {
        body.putShort(start + 10, (short) (body.getShort(start + 10) | FLAG_GROUP));
        body.putLong(group.id()).putInt(group.size());
    }

    private static void writeHeaders(ByteBuffer body, Map<String, String> headers) {
        for (Map.Entry<String, String> header : headers.entrySet()) {
            int lengths = body.position();
            body.position(lengths + 2 * Short.BYTES);
            Utf8.put(header.getKey(), body);
            int middle = body.position();
            Utf8.put(header.getValue(), body);
            body.putShort(lengths, (short) (middle - lengths - 2 * Short.BYTES));
            body.putShort(lengths + Short.BYTES, (short) (body.position() - middle));
        }
    }

    /**
     * Checks headers before a push.
     *
     * @throws IllegalArgumentException if they are too many, too long or not text
     */
    static void checkHeaders(Map<String, String> headers, int maxBytes) {
        if (headers.size() > TransferMessages.MAX_HEADERS) {
            throw new IllegalArgumentException(
                    headers.size() + " headers are more than " + TransferMessages.MAX_HEADERS);
        }
        int bytes = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            bytes += Utf8.length(header.getKey()) + Utf8.length(header.getValue());
        }
        if (bytes > maxBytes) {
            throw new IllegalArgumentException("headers of " + bytes + " bytes are longer than " + maxBytes);
        }
    }

    long transferId() {
        return transferId;
    }

    int attempt() {
        return attempt;
    }

    boolean checksummed() {
        return checksummed;
    }

    int checksum() {
        return checksum;
    }

    ReceiptLevel wanted() {
        return wanted;
    }

    LandingKind landing() {
        return landing;
    }

    int zoneId() {
        return zoneId;
    }

    long offset() {
        return offset;
    }

    long length() {
        return length;
    }

    TensorDescriptor descriptor() {
        return descriptor;
    }

    Map<String, String> headers() {
        return headers;
    }

    /** With which others listeners are to hear of it; {@code null} for none. */
    @Nullable TensorGroup group() {
        return group;
    }
}

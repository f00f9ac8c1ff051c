package io.tensorfabric.interop.npy;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.TensorDescriptor;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What precedes the elements in a NumPy file: magic, version, length, dictionary.
 *
 * @param swapped whether the elements lie in big-endian order
 * @param length bytes of all of it
 */
record NpyHeader(DataType dataType, Shape shape, boolean swapped, int length) {

    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final int ALIGNMENT = 64;
    /** Above what any header of a plain array needs, and little enough to allocate for a stranger. */
    private static final int LONGEST = 1 << 20;

    private static final Map<String, DataType> TYPES = Map.ofEntries(
            Map.entry("b1", DataType.BOOL),
            Map.entry("u1", DataType.U8),
            Map.entry("i1", DataType.I8),
            Map.entry("u2", DataType.U16),
            Map.entry("i2", DataType.I16),
            Map.entry("u4", DataType.U32),
            Map.entry("i4", DataType.I32),
            Map.entry("u8", DataType.U64),
            Map.entry("i8", DataType.I64),
            Map.entry("f2", DataType.F16),
            Map.entry("f4", DataType.F32),
            Map.entry("f8", DataType.F64),
            Map.entry("c8", DataType.C64));
    private static final Map<DataType, String> NAMES =
            TYPES.entrySet().stream().collect(Collectors.toUnmodifiableMap(Map.Entry::getValue, Map.Entry::getKey));

    /** Reads no byte further than the header goes. */
    static NpyHeader read(ReadableByteChannel channel) throws IOException {
        ByteBuffer prefix = fill(channel, MAGIC.length + 2, "before its version");
        byte[] magic = new byte[MAGIC.length];
        prefix.get(magic);
        if (!Arrays.equals(magic, MAGIC)) {
            throw new NpyFormatException("This is no NumPy file (.npy): it does not begin with \\x93NUMPY");
        }
        int major = prefix.get();
        int minor = prefix.get();
        if (major < 1 || major > 3 || minor != 0) {
            throw new NpyFormatException(
                    "This NumPy file has format version " + major + "." + minor + "; 1.0, 2.0 and 3.0 are read");
        }
        int width = major == 1 ? Short.BYTES : Integer.BYTES;
        ByteBuffer size = fill(channel, width, "before its header");
        long length = major == 1 ? Short.toUnsignedLong(size.getShort()) : Integer.toUnsignedLong(size.getInt());
        if (length > LONGEST) {
            throw new NpyFormatException(
                    "The header says that it has " + length + " bytes; at most " + LONGEST + " are read");
        }
        ByteBuffer text = fill(channel, (int) length, "inside its header");
        var charset = major == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
        return of(charset.decode(text).toString(), MAGIC.length + 2 + width + (int) length);
    }

    private static NpyHeader of(String dictionary, int length) throws NpyFormatException {
        NpyDictionary.Content content = new NpyDictionary(dictionary).read();
        String spelled = content.type();
        char order = spelled.isEmpty() ? ' ' : spelled.charAt(0);
        DataType type = order == '<' || order == '>' || order == '|' ? TYPES.get(spelled.substring(1)) : null;
        if (type == null || (order == '|' && type.bits() > Byte.SIZE)) {
            throw new NpyFormatException("Elements of NumPy's type '" + spelled.replaceAll("[^ -~]", "?")
                    + "' have no place in a tensor; those of " + NAMES.keySet() + " have, as in '<f4'");
        }
        if (content.fortranOrder() && content.shape().size() > 1) {
            throw new NpyFormatException("The array lies in Fortran order, column by column; save it with"
                    + " numpy.ascontiguousarray(array)");
        }
        try {
            Shape shape =
                    Shape.of(content.shape().stream().mapToLong(Long::longValue).toArray());
            type.byteLength(shape.elementCount());
            return new NpyHeader(type, shape, order == '>' && type.bits() > Byte.SIZE, length);
        } catch (IllegalArgumentException e) {
            throw new NpyFormatException("The shape is not one of a tensor: " + e.getMessage(), e);
        }
    }

    /** The bytes of a header, version 1.0, padded so that the elements after it are aligned. */
    static byte[] encode(TensorDescriptor descriptor) {
        String name = NAMES.get(descriptor.dataType());
        if (name == null) {
            throw new IllegalArgumentException("NumPy has no type for " + descriptor.dataType() + " of tensor '"
                    + descriptor.name() + "': convert it, or write safetensors");
        }
        char order = descriptor.dataType().bits() > Byte.SIZE ? '<' : '|';
        String dims = Arrays.stream(descriptor.shape().dims())
                .mapToObj(Long::toString)
                .collect(Collectors.joining(", "));
        String shape = "(" + dims + (descriptor.shape().rank() == 1 ? ",)" : ")");
        String dictionary = "{'descr': '" + order + name + "', 'fortran_order': False, 'shape': " + shape + ", }";
        int fixed = MAGIC.length + 2 + Short.BYTES;
        int total = (fixed + dictionary.length() + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
        byte[] bytes = new byte[total];
        Arrays.fill(bytes, (byte) ' ');
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(MAGIC)
                .put((byte) 1)
                .put((byte) 0)
                .putShort((short) (total - fixed))
                .put(dictionary.getBytes(StandardCharsets.US_ASCII));
        bytes[total - 1] = '\n';
        return bytes;
    }

    private static ByteBuffer fill(ReadableByteChannel channel, int bytes, String where) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("The NumPy file ends " + where);
            }
        }
        return buffer.flip();
    }
}

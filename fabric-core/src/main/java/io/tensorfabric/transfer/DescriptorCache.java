package io.tensorfabric.transfer;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.TensorDescriptor;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Descriptors by their bytes on the wire, so that a stream of tensors of the same name and shape decodes without garbage.
 * Direct-mapped: a collision only costs decoding anew. Not thread-safe.
 */
final class DescriptorCache {

    static final TensorDescriptor NONE = new TensorDescriptor("", DataType.U8, Shape.of(0));

    private static final int SLOTS = 64;

    private final @Nullable Slot[] slots = new @Nullable Slot[SLOTS];

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Slot(int dataType, int rank, byte[] shapeAndName, TensorDescriptor descriptor) {}

    /**
     * Reads a descriptor.
     *
     * @param at where the dimensions start, followed by the name; the caller knows that they are there
     * @throws ProtocolViolation if there is no such tensor
     */
    TensorDescriptor read(ByteBuffer body, int at, int dataType, int rank, int nameLength) {
        int bytes = rank * Long.BYTES + nameLength;
        int index = hash(body, at, bytes) & SLOTS - 1;
        Slot slot = slots[index];
        if (slot != null
                && slot.dataType == dataType
                && slot.rank == rank
                && same(slot.shapeAndName, body, at, bytes)) {
            return slot.descriptor;
        }
        TensorDescriptor descriptor = decode(body, at, dataType, rank, nameLength);
        byte[] copy = new byte[bytes];
        body.get(at, copy);
        slots[index] = new Slot(dataType, rank, copy, descriptor);
        return descriptor;
    }

    private static TensorDescriptor decode(ByteBuffer body, int at, int dataType, int rank, int nameLength) {
        long[] dims = new long[rank];
        for (int i = 0; i < rank; i++) {
            dims[i] = body.getLong(at + i * Long.BYTES);
        }
        int position = body.position();
        body.position(at + rank * Long.BYTES);
        String name = Utf8.get(body, nameLength, "the name of a tensor");
        body.position(position);
        try {
            return new TensorDescriptor(name, DataType.fromCode(dataType), Shape.of(dims));
        } catch (IllegalArgumentException e) {
            throw new ProtocolViolation("a TENSOR message describes no tensor: " + e.getMessage(), e);
        }
    }

    private static int hash(ByteBuffer body, int at, int bytes) {
        long h = bytes;
        int i = 0;
        for (; i + Long.BYTES <= bytes; i += Long.BYTES) {
            h = (h ^ body.getLong(at + i)) * 0x9E3779B97F4A7C15L;
        }
        for (; i < bytes; i++) {
            h = (h ^ body.get(at + i)) * 0x9E3779B97F4A7C15L;
        }
        return (int) (h >>> 40);
    }

    private static boolean same(byte[] expected, ByteBuffer body, int at, int bytes) {
        if (expected.length != bytes) {
            return false;
        }
        for (int i = 0; i < bytes; i++) {
            if (expected[i] != body.get(at + i)) {
                return false;
            }
        }
        return true;
    }
}

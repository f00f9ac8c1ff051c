package io.tensorfabric.segments;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Tensors as memory segments and the other way round, without copies and of any size. Thread-safe; who may touch a segment
 * is said by its arena.
 */
public final class TensorSegments {

    private TensorSegments() {}

    /**
     * All of a tensor as a segment, which holds the tensor's memory until the arena is closed (or, of an automatic arena,
     * until the segment is garbage): closing the tensor before is harmless. Read-only if the tensor is.
     *
     * @param arena whose end ends the segment; with the global one the memory is never given back
     * @throws IllegalStateException if the tensor is closed, or lies in memory of a GPU, or the arena is closed
     */
    @SuppressWarnings("restricted") // the tensor vouches for address, size and life
    public static MemorySegment segment(Tensor tensor, Arena arena) {
        if (tensor.kind().type() != MemoryKind.Type.HOST) {
            throw new IllegalStateException("Tensor '" + tensor.name() + "' lies in " + tensor.kind()
                    + ", which the processor cannot read: copy it to the host first");
        }
        long address = tensor.hold();
        try {
            MemorySegment segment =
                    MemorySegment.ofAddress(address).reinterpret(tensor.byteLength(), arena, ended -> tensor.release());
            return tensor.isReadOnly() ? segment.asReadOnly() : segment;
        } catch (RuntimeException | Error e) {
            tensor.release();
            throw e;
        }
    }

    /**
     * A tensor over a native segment. The segment's arena has to stay open until the tensor is closed and all pushes of it
     * have ended; an automatic arena does so by itself, since the tensor keeps the segment reachable.
     *
     * @param segment read-only segments make read-only tensors
     * @throws IllegalArgumentException if the segment lies on the heap, or its size is not that of type and shape
     * @throws IllegalStateException if the segment's arena is closed
     */
    @SuppressWarnings("ReachabilityFenceUsage") // the reference held until close is the fence
    public static Tensor tensor(String name, DataType dataType, Shape shape, MemorySegment segment) {
        TensorDescriptor descriptor = new TensorDescriptor(name, dataType, shape);
        if (!segment.isNative()) {
            throw new IllegalArgumentException("Tensor '" + name
                    + "' cannot lie over a segment of the Java heap: copy it" + " into one that an arena allocates");
        }
        if (segment.byteSize() != descriptor.byteLength()) {
            throw new IllegalArgumentException("Tensor '" + name + "' of type " + dataType + " and shape " + shape
                    + " needs " + descriptor.byteLength() + " bytes, but the segment has " + segment.byteSize());
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("The arena of tensor '" + name + "' is closed");
        }
        Tensor tensor = Tensor.of(descriptor, segment.address(), () -> Reference.reachabilityFence(segment));
        if (!segment.isReadOnly()) {
            return tensor;
        }
        Tensor readOnly = tensor.asReadOnly();
        tensor.close();
        return readOnly;
    }
}

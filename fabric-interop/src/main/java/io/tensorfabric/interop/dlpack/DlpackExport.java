package io.tensorfabric.interop.dlpack;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.Tensor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A managed tensor of DLPack over the memory of a {@link Tensor}, which it holds until it is closed: closing the tensor
 * before is harmless. Thread-safe.
 */
public final class DlpackExport implements AutoCloseable {

    private static final int ALIGNMENT = 16;

    private final Tensor tensor;
    private final long address;
    private final boolean versioned;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DlpackExport(Tensor tensor, long address, boolean versioned) {
        this.tensor = tensor;
        this.address = address;
        this.versioned = versioned;
    }

    static DlpackExport of(Tensor tensor, boolean versioned, long deleter) {
        if (!versioned && tensor.isReadOnly()) {
            throw new DlpackException("Tensor '" + tensor.name()
                    + "' is read-only, which a DLManagedTensor cannot say: export it versioned, or a copy");
        }
        int code = DlpackTypes.code(tensor.dataType());
        long[] shape = tensor.shape().dims();
        int size = versioned ? DlpackLayout.VERSIONED_SIZE : DlpackLayout.MANAGED_SIZE;
        long data = tensor.hold();
        try {
            long block = OffHeap.allocate(size + 2L * Long.BYTES * shape.length, ALIGNMENT);
            OffHeap.fill(block, size, (byte) 0);
            if (versioned) {
                OffHeap.putInt(block + DlpackLayout.VERSIONED_MAJOR, DlpackLayout.MAJOR);
                OffHeap.putInt(block + DlpackLayout.VERSIONED_MINOR, DlpackLayout.MINOR);
                OffHeap.putLong(block + DlpackLayout.VERSIONED_DELETER, deleter);
                OffHeap.putLong(block + DlpackLayout.VERSIONED_FLAGS, tensor.isReadOnly() ? DlpackLayout.READ_ONLY : 0);
            } else {
                OffHeap.putLong(block + DlpackLayout.MANAGED_DELETER, deleter);
            }
            long at = block + (versioned ? DlpackLayout.VERSIONED_TENSOR : DlpackLayout.MANAGED_TENSOR);
            writeTensor(at, tensor, data, code);
            writeLongs(at + DlpackLayout.TENSOR_SHAPE, block + size, shape);
            writeLongs(
                    at + DlpackLayout.TENSOR_STRIDES,
                    block + size + (long) Long.BYTES * shape.length,
                    tensor.shape().rowMajorStrides());
            return new DlpackExport(tensor, block, versioned);
        } catch (RuntimeException | Error e) {
            tensor.release();
            throw e;
        }
    }

    private static void writeTensor(long at, Tensor tensor, long data, int code) {
        boolean host = tensor.kind().type() == MemoryKind.Type.HOST;
        OffHeap.putLong(at + DlpackLayout.TENSOR_DATA, data);
        OffHeap.putInt(at + DlpackLayout.TENSOR_DEVICE_TYPE, host ? DlpackLayout.CPU : DlpackLayout.CUDA);
        OffHeap.putInt(at + DlpackLayout.TENSOR_DEVICE_ID, tensor.kind().ordinal());
        OffHeap.putInt(at + DlpackLayout.TENSOR_RANK, tensor.shape().rank());
        OffHeap.putByte(at + DlpackLayout.TENSOR_TYPE_CODE, (byte) code);
        OffHeap.putByte(
                at + DlpackLayout.TENSOR_TYPE_BITS, (byte) tensor.dataType().bits());
        OffHeap.putByte(at + DlpackLayout.TENSOR_TYPE_LANES + DlpackLayout.LOW_BYTE, (byte) 1);
    }

    private static void writeLongs(long pointer, long at, long[] values) {
        OffHeap.putLong(pointer, at);
        for (int i = 0; i < values.length; i++) {
            OffHeap.putLong(at + (long) i * Long.BYTES, values[i]);
        }
    }

    /**
     * The address of the managed tensor, for whoever takes it.
     *
     * @throws IllegalStateException if this is closed
     */
    public long address() {
        if (closed.get()) {
            throw new IllegalStateException("The export of tensor '" + tensor.name() + "' is closed");
        }
        return address;
    }

    /** Whether it is a {@code DLManagedTensorVersioned}, else a {@code DLManagedTensor}. */
    public boolean isVersioned() {
        return versioned;
    }

    /** Frees the structure and releases the tensor: not before whoever took it is done. Further calls do nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            OffHeap.free(address);
            tensor.release();
        }
    }

    /** The tensor; never an address. */
    @Override
    public String toString() {
        return "DlpackExport[" + tensor + (versioned ? ", versioned" : "") + (closed.get() ? ", closed]" : "]");
    }
}

package io.tensorfabric.interop.dlpack;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;

/**
 * Takes and gives tensors by DLPack, the structures by which frameworks in one process lend each other memory without
 * copies. Both the unversioned {@code DLManagedTensor} and {@code DLManagedTensorVersioned} 1.x, on machines with pointers of
 * 64 bits.
 *
 * <p>Taken are packed row-major tensors in host memory (plain or pinned by CUDA) and in memory of a CUDA GPU, whose types
 * tensors have. Nothing waits for work of a GPU: with DLPack that is agreed between the frameworks. Thread-safe.
 */
public final class Dlpack {

    private Dlpack() {}

    /**
     * Takes a {@code DLManagedTensor}.
     *
     * @param name of the tensor
     * @param managed address of the structure. Taken, and never touched again by the caller, if this returns; still the
     *     caller's if it throws
     * @param deleter calls the structure's own deleter when the tensor's last use ends; not called when that is NULL
     * @throws DlpackException if the tensor cannot be taken as it lies
     */
    public static Tensor take(String name, long managed, DlpackDeleter deleter) {
        checkPointer(managed);
        return take(
                name, managed, managed + DlpackLayout.MANAGED_TENSOR, managed + DlpackLayout.MANAGED_DELETER, deleter);
    }

    /**
     * Takes a {@code DLManagedTensorVersioned}; the tensor is read-only if its flags say so.
     *
     * @param name of the tensor
     * @param managed as in {@link #take}
     * @param deleter as in {@link #take}
     * @throws DlpackException if the tensor cannot be taken as it lies, or its version's layout is not known
     */
    public static Tensor takeVersioned(String name, long managed, DlpackDeleter deleter) {
        checkPointer(managed);
        int major = OffHeap.getInt(managed + DlpackLayout.VERSIONED_MAJOR);
        if (major != DlpackLayout.MAJOR) {
            throw new DlpackException("DLPack " + Integer.toUnsignedString(major) + "."
                    + Integer.toUnsignedString(OffHeap.getInt(managed + DlpackLayout.VERSIONED_MINOR))
                    + " has a layout that is not known here; versions 1.x are taken. Call its deleter.");
        }
        long flags = OffHeap.getLong(managed + DlpackLayout.VERSIONED_FLAGS);
        long at = managed + DlpackLayout.VERSIONED_TENSOR;
        if ((flags & DlpackLayout.PADDED_SUBBYTE) != 0
                && Byte.toUnsignedInt(OffHeap.getByte(at + DlpackLayout.TENSOR_TYPE_BITS)) < Byte.SIZE) {
            throw new DlpackException("Elements narrower than a byte are padded; only packed ones are taken");
        }
        Tensor tensor = take(name, managed, at, managed + DlpackLayout.VERSIONED_DELETER, deleter);
        if ((flags & DlpackLayout.READ_ONLY) == 0) {
            return tensor;
        }
        Tensor readOnly = tensor.asReadOnly();
        tensor.close();
        return readOnly;
    }

    /**
     * Gives a {@code DLManagedTensor} whose deleter is NULL: close the export when whoever takes it is done.
     *
     * @throws DlpackException if the tensor is read-only
     * @throws IllegalStateException if the tensor is closed
     */
    public static DlpackExport export(Tensor tensor) {
        return DlpackExport.of(tensor, false, 0);
    }

    /**
     * Gives a {@code DLManagedTensorVersioned}.
     *
     * @param deleter address of a C function that whoever takes it calls with the structure's address, and that has the
     *     export closed; 0 if the export is closed otherwise
     * @throws IllegalStateException if the tensor is closed
     */
    public static DlpackExport exportVersioned(Tensor tensor, long deleter) {
        return DlpackExport.of(tensor, true, deleter);
    }

    private static Tensor take(String name, long managed, long at, long deleterField, DlpackDeleter deleter) {
        TensorDescriptor descriptor = descriptor(name, at);
        MemoryKind kind = kind(
                OffHeap.getInt(at + DlpackLayout.TENSOR_DEVICE_TYPE),
                OffHeap.getInt(at + DlpackLayout.TENSOR_DEVICE_ID));
        long data = data(at, descriptor);
        long function = OffHeap.getLong(deleterField);
        return Tensor.of(descriptor, data, kind, () -> {
            if (function != 0) {
                deleter.delete(function, managed);
            }
        });
    }

    private static TensorDescriptor descriptor(String name, long at) {
        DataType type = DlpackTypes.type(
                Byte.toUnsignedInt(OffHeap.getByte(at + DlpackLayout.TENSOR_TYPE_CODE)),
                Byte.toUnsignedInt(OffHeap.getByte(at + DlpackLayout.TENSOR_TYPE_BITS)),
                DlpackLayout.lanes(OffHeap.getInt(at + DlpackLayout.TENSOR_TYPE_CODE)));
        int rank = OffHeap.getInt(at + DlpackLayout.TENSOR_RANK);
        if (rank < 0 || rank > Shape.MAX_RANK) {
            throw new DlpackException("A tensor has 0 to " + Shape.MAX_RANK + " dimensions, not " + rank);
        }
        long shapeAt = OffHeap.getLong(at + DlpackLayout.TENSOR_SHAPE);
        if (rank > 0 && shapeAt == 0) {
            throw new DlpackException("The tensor has " + rank + " dimensions and no shape");
        }
        try {
            Shape shape = Shape.of(longs(shapeAt, rank));
            long stridesAt = OffHeap.getLong(at + DlpackLayout.TENSOR_STRIDES);
            if (stridesAt != 0 && !shape.isRowMajor(longs(stridesAt, rank))) {
                throw new DlpackException("The tensor of shape " + shape
                        + " is not contiguous: make it so first, as by contiguous() or ascontiguousarray()");
            }
            TensorDescriptor descriptor = new TensorDescriptor(name, type, shape);
            descriptor.byteLength();
            return descriptor;
        } catch (IllegalArgumentException e) {
            throw new DlpackException("The tensor's shape or name is not one of a tensor: " + e.getMessage(), e);
        }
    }

    private static MemoryKind kind(int deviceType, int deviceId) {
        return switch (deviceType) {
            case DlpackLayout.CPU, DlpackLayout.CUDA_HOST -> MemoryKind.HOST;
            case DlpackLayout.CUDA -> {
                if (deviceId < 0) {
                    throw new DlpackException("There is no GPU " + deviceId);
                }
                yield MemoryKind.cuda(deviceId);
            }
            default ->
                throw new DlpackException("Memory of DLPack's device type " + deviceType
                        + " is not taken; that of the processor (1), CUDA (2) and pinned by CUDA (3) is");
        };
    }

    private static long data(long at, TensorDescriptor descriptor) {
        long base = OffHeap.getLong(at + DlpackLayout.TENSOR_DATA);
        long offset = OffHeap.getLong(at + DlpackLayout.TENSOR_BYTE_OFFSET);
        if (descriptor.byteLength() == 0) {
            return 0;
        }
        if (base == 0) {
            throw new DlpackException("The tensor of " + descriptor.byteLength() + " bytes has no data");
        }
        if (offset < 0 || Long.compareUnsigned(base + offset, base) < 0) {
            throw new DlpackException("The tensor's byte offset leaves the address space");
        }
        return base + offset;
    }

    private static long[] longs(long at, int count) {
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            values[i] = OffHeap.getLong(at + (long) i * Long.BYTES);
        }
        return values;
    }

    private static void checkPointer(long managed) {
        if (managed == 0) {
            throw new DlpackException("There is no managed tensor at NULL");
        }
    }
}

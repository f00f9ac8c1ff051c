package io.tensorfabric.tensor;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.offheap.OffHeap;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tensor in native host memory or in memory of a GPU: packed, row-major, in the byte order its producer wrote (safetensors: little endian).
 *
 * <p>{@link #close()} ends it and releases its owner, if it has one and once no {@link #hold()} is left. Whoever uses {@link #address()} keeps the tensor
 * reachable and open meanwhile; after {@code close} the address is not to be touched. Methods may be called from any
 * thread; access to the bytes is not synchronised.
 */
public final class Tensor implements AutoCloseable {

    /** Alignment of tensors that are allocated here: a cache line, and enough for any vector instruction. */
    private static final long ALIGNMENT = 64;

    private static final VarHandle CLOSED = field("closed", boolean.class);

    private static final VarHandle USES = field("uses", int.class);

    private final TensorDescriptor descriptor;
    private final long address;
    private final long byteLength;
    private final boolean readOnly;
    private final MemoryKind kind;
    private final @Nullable AutoCloseable owner;

    // Fields in place of atomic objects: a received tensor is to be one object.

    private volatile boolean closed;

    /** One for being open and one for each hold; at zero the owner is closed. */
    private volatile int uses = 1;

    private Tensor(TensorDescriptor descriptor, long address, boolean readOnly, @Nullable AutoCloseable owner) {
        this(descriptor, address, readOnly, MemoryKind.HOST, owner);
    }

    private Tensor(
            TensorDescriptor descriptor,
            long address,
            boolean readOnly,
            MemoryKind kind,
            @Nullable AutoCloseable owner) {
        this.descriptor = descriptor;
        this.address = address;
        this.byteLength = descriptor.byteLength();
        this.readOnly = readOnly;
        this.kind = kind;
        this.owner = owner;
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Tensor.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * A tensor over memory that exists.
     *
     * @param descriptor what lies there
     * @param address of the first byte; at least {@link TensorDescriptor#byteLength()} bytes must be readable
     * @param owner closed once, by {@link #close()}, to give the memory back; null if the caller keeps it
     */
    public static Tensor of(TensorDescriptor descriptor, long address, @Nullable AutoCloseable owner) {
        return of(descriptor, address, MemoryKind.HOST, owner);
    }

    /**
     * A tensor over memory of any kind that exists.
     *
     * @param descriptor what lies there
     * @param address of the first byte, as the driver of its device calls it
     * @param kind where the memory lies
     * @param owner closed once, by {@link #close()}, to give the memory back; null if the caller keeps it
     */
    public static Tensor of(TensorDescriptor descriptor, long address, MemoryKind kind, @Nullable AutoCloseable owner) {
        if (address == 0 && descriptor.byteLength() > 0) {
            throw new IllegalArgumentException("Tensor '" + descriptor.name() + "' has no memory: address is null");
        }
        return new Tensor(descriptor, address, false, kind, owner);
    }

    /**
     * A tensor over memory of a GPU that the caller keeps allocated until the tensor is closed and all pushes of it have
     * ended. Any library's device pointer will do; for JCuda's own type see {@link CudaTensors}.
     *
     * @param devicePointer address of the first byte, a {@code CUdeviceptr}; any alignment
     * @param device number of the GPU among the visible ones
     */
    public static Tensor ofCuda(String name, DataType dataType, Shape shape, long devicePointer, int device) {
        return of(new TensorDescriptor(name, dataType, shape), devicePointer, MemoryKind.cuda(device), null);
    }

    /**
     * Allocates a tensor of undefined content, which it owns.
     *
     * @throws io.tensorfabric.offheap.OffHeapAllocationException if there is not enough memory
     */
    public static Tensor allocate(TensorDescriptor descriptor) {
        long address = OffHeap.allocate(descriptor.byteLength(), ALIGNMENT);
        return new Tensor(descriptor, address, false, () -> OffHeap.free(address));
    }

    /**
     * A tensor with a copy of the given bytes, which it owns.
     *
     * @throws IllegalArgumentException if the number of bytes is not that of the type and shape
     */
    public static Tensor copyOf(String name, DataType dataType, Shape shape, byte[] bytes) {
        return copyOf(name, dataType, shape, ByteBuffer.wrap(bytes));
    }

    /**
     * A tensor with a copy, which it owns, of what remains in any buffer. The buffer's position and limit stay as they
     * are.
     *
     * @throws IllegalArgumentException if the number of bytes is not that of the type and shape
     */
    public static Tensor copyOf(String name, DataType dataType, Shape shape, ByteBuffer bytes) {
        TensorDescriptor descriptor = new TensorDescriptor(name, dataType, shape);
        checkLength(descriptor, bytes.remaining());
        Tensor tensor = allocate(descriptor);
        OffHeap.asByteBuffer(tensor.address, bytes.remaining()).put(bytes.duplicate());
        return tensor;
    }

    /**
     * A tensor over what remains in a direct buffer, without a copy. The buffer stays reachable as long as the tensor,
     * its position and limit stay as they are; views of a tensor over a read-only buffer are read-only.
     *
     * @throws IllegalArgumentException if the buffer lies on the Java heap, or if the number of bytes is not that of the
     *     type and shape
     */
    @SuppressWarnings("ReachabilityFenceUsage") // the reference held until close is the fence
    public static Tensor wrap(String name, DataType dataType, Shape shape, ByteBuffer direct) {
        TensorDescriptor descriptor = new TensorDescriptor(name, dataType, shape);
        checkLength(descriptor, direct.remaining());
        long address = OffHeap.addressOf(direct);
        return new Tensor(descriptor, address, direct.isReadOnly(), () -> Reference.reachabilityFence(direct));
    }

    /**
     * A tensor with a packed, row-major copy, which it owns, of elements that lie apart: a transposed view, a
     * channels-last image, every second value.
     *
     * @param strides for each dimension the distance of neighbours in elements, zero or more; the shape's own
     *     {@link Shape#rowMajorStrides()} for packed memory
     * @param base any buffer; the element of index 0 in all dimensions is at its position
     * @throws IllegalArgumentException if an element lies outside the buffer, a stride that matters is negative, or
     *     elements narrower than a byte are not packed already
     */
    public static Tensor ofStrided(String name, DataType dataType, Shape shape, long[] strides, ByteBuffer base) {
        TensorDescriptor descriptor = new TensorDescriptor(name, dataType, shape);
        StridedCopy copy = StridedCopy.of(descriptor, strides, base.remaining());
        Tensor tensor = allocate(descriptor);
        try {
            copy.run(base, tensor.address);
        } catch (RuntimeException | Error e) {
            tensor.close();
            throw e;
        }
        return tensor;
    }

    private static void checkLength(TensorDescriptor descriptor, long bytes) {
        if (bytes != descriptor.byteLength()) {
            throw new IllegalArgumentException("Tensor '" + descriptor.name() + "' of type " + descriptor.dataType()
                    + " and shape " + descriptor.shape() + " needs " + descriptor.byteLength() + " bytes, but " + bytes
                    + " were given");
        }
    }

    /**
     * A tensor over the same memory under another name, which keeps that memory until it is closed itself.
     *
     * @throws IllegalArgumentException if the name is too long
     * @throws IllegalStateException if this tensor is closed
     */
    public Tensor withName(String name) {
        TensorDescriptor renamed = new TensorDescriptor(name, dataType(), shape());
        return new Tensor(renamed, hold(), readOnly, kind, this::release);
    }

    /**
     * A tensor over the same memory whose views refuse writes; it keeps that memory until it is closed itself.
     *
     * @throws IllegalStateException if this tensor is closed
     */
    public Tensor asReadOnly() {
        return new Tensor(descriptor, hold(), true, kind, this::release);
    }

    /** What the tensor is; also after {@link #close()}. */
    public TensorDescriptor descriptor() {
        return descriptor;
    }

    /** The name; also after {@link #close()}. */
    public String name() {
        return descriptor.name();
    }

    /** The type of the elements; also after {@link #close()}. */
    public DataType dataType() {
        return descriptor.dataType();
    }

    /** The extents; also after {@link #close()}. */
    public Shape shape() {
        return descriptor.shape();
    }

    /** The size of the elements in bytes; also after {@link #close()}. */
    public long byteLength() {
        return byteLength;
    }

    /** Where the bytes lie; also after {@link #close()}. */
    public MemoryKind kind() {
        return kind;
    }

    /** Whether the memory must not be written. */
    public boolean isReadOnly() {
        return readOnly;
    }

    /** Whether {@link #close()} was called. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * The address of the first byte; of a GPU's memory one that the processor must not touch.
     *
     * @throws IllegalStateException if the tensor is closed
     */
    public long address() {
        checkOpen();
        return address;
    }

    /**
     * A view of all of the tensor: position 0, native byte order. Not to be used after
     * {@link #close()}.
     *
     * @throws IllegalStateException if the tensor is closed, or larger than a buffer can be
     */
    public ByteBuffer asByteBuffer() {
        if (byteLength > Integer.MAX_VALUE) {
            throw new IllegalStateException("Tensor '" + name() + "' of " + byteLength
                    + " bytes is larger than a ByteBuffer can be; view parts of it with asByteBuffer(offset, length)");
        }
        return asByteBuffer(0, (int) byteLength);
    }

    /**
     * A view of a part, in native byte order. Not to be used after {@link #close()}.
     *
     * @param offset of the first byte
     * @param length in bytes
     * @throws IndexOutOfBoundsException if the part is not inside the tensor
     * @throws IllegalStateException if the tensor is closed, or lies in memory of a GPU
     */
    public ByteBuffer asByteBuffer(long offset, int length) {
        checkOpen();
        if (kind.type() != MemoryKind.Type.HOST) {
            throw new IllegalStateException("Tensor '" + name() + "' lies in " + kind
                    + ", which the processor cannot read: copy it to the host first, or use its address with CUDA");
        }
        Objects.checkFromIndexSize(offset, length, byteLength);
        ByteBuffer view = OffHeap.asByteBuffer(address + offset, length);
        return readOnly ? view.asReadOnlyBuffer().order(view.order()) : view;
    }

    private void checkOpen() {
        if (closed) {
            throw closedAlready();
        }
    }

    private IllegalStateException closedAlready() {
        return new IllegalStateException("Tensor '" + name() + "' is closed");
    }

    /**
     * Keeps the memory, also over a {@link #close()}, until {@link #release()}: for devices that read it while its user may
     * be done with it. Each hold needs one release.
     *
     * @return the address of the first byte, valid until the release
     * @throws IllegalStateException if the tensor is closed
     */
    public long hold() {
        while (true) {
            int present = uses;
            if (present == 0 || closed) {
                throw closedAlready();
            }
            if (USES.compareAndSet(this, present, present + 1)) {
                return address;
            }
        }
    }

    /**
     * Ends a {@link #hold()}. The last one of a closed tensor closes the owner, with the errors of {@link #close()}.
     *
     * @throws IllegalStateException if nothing holds the tensor
     */
    public void release() {
        int left = (int) USES.getAndAdd(this, -1) - 1;
        if (left < 0 || (left == 0 && !closed)) {
            USES.getAndAdd(this, 1);
            throw new IllegalStateException("Tensor '" + name() + "' was released more often than it was held");
        }
        if (left == 0) {
            closeOwner();
        }
    }

    /**
     * Ends the tensor and closes its owner, at once or when the last {@link #hold()} is released. Further calls do nothing.
     *
     * @throws IllegalStateException if the owner fails to close with a checked exception, which is the cause
     */
    @Override
    public void close() {
        if (CLOSED.compareAndSet(this, false, true) && (int) USES.getAndAdd(this, -1) == 1) {
            closeOwner();
        }
    }

    private void closeOwner() {
        if (owner == null) {
            return;
        }
        try {
            owner.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while releasing the memory of tensor '" + name() + "'", e);
        } catch (Exception e) {
            throw new IllegalStateException("Memory of tensor '" + name() + "' was not released", e);
        }
    }

    /** Name, type and shape; never the address. */
    @Override
    public String toString() {
        return "Tensor[" + name() + ", " + dataType() + ", " + shape() + ", " + byteLength + " bytes, " + kind
                + (isClosed() ? ", closed]" : "]");
    }
}

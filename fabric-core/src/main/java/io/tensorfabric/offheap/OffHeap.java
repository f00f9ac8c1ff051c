package io.tensorfabric.offheap;

import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.Objects;

/**
 * Native memory by address. Sizes are {@code long}, in bytes; multi-byte values are in native byte order and need not
 * be aligned. Memory does not count against {@code -XX:MaxDirectMemorySize}.
 *
 * <p>All methods may be called from any thread. There are no bounds checks and no fences: reading or writing outside a
 * live block, or after {@link #free}, is as undefined as it is in C. Callers own what they allocate.
 */
public final class OffHeap {

    private static final NativeHandles HANDLES = NativeHandles.choose();
    private static final NativeHeap HEAP = new NativeHeap(HANDLES);

    // Constants of this class, so that the compiler inlines through them.
    private static final MethodHandle GET_BYTE = HANDLES.getByte();
    private static final MethodHandle GET_INT = HANDLES.getInt();
    private static final MethodHandle GET_LONG = HANDLES.getLong();
    private static final MethodHandle PUT_BYTE = HANDLES.putByte();
    private static final MethodHandle PUT_INT = HANDLES.putInt();
    private static final MethodHandle PUT_LONG = HANDLES.putLong();
    private static final MethodHandle COPY = HANDLES.copy();
    private static final MethodHandle FILL = HANDLES.fill();
    private static final MethodHandle COPY_FROM_ARRAY = HANDLES.copyFromArray();
    private static final MethodHandle COPY_TO_ARRAY = HANDLES.copyToArray();
    private static final MethodHandle AS_BYTE_BUFFER = HANDLES.asByteBuffer();
    private static final MethodHandle ADDRESS_OF = HANDLES.addressOf();

    private OffHeap() {}

    /**
     * Allocates a block. Its content is undefined; pages are not touched, so that memory is only taken when it is
     * written. Blocks of 2 MiB and more are aligned to a page at least. An empty block has an address of its own.
     *
     * @param bytes size of the block, zero or more
     * @param alignment power of two, at least 8
     * @return the address of the first byte, to be given to {@link #free} by the caller
     * @throws OffHeapAllocationException if the system has not enough memory
     * @throws IllegalArgumentException if an argument is out of range
     */
    public static long allocate(long bytes, long alignment) {
        return HEAP.allocate(bytes, alignment);
    }

    /**
     * Frees a block.
     *
     * @param address as returned by {@link #allocate}
     * @throws IllegalArgumentException if no live block starts there, for example since it was freed before
     */
    public static void free(long address) {
        HEAP.free(address);
    }

    /** Copies memory; the ranges may overlap. */
    public static void copy(long srcAddress, long dstAddress, long bytes) {
        try {
            COPY.invokeExact(srcAddress, dstAddress, checkSize(bytes));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Sets every byte of a range to one value. */
    public static void fill(long address, long bytes, byte value) {
        try {
            FILL.invokeExact(address, checkSize(bytes), value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Reads one byte. */
    public static byte getByte(long address) {
        try {
            return (byte) GET_BYTE.invokeExact(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Reads four bytes in native order. */
    public static int getInt(long address) {
        try {
            return (int) GET_INT.invokeExact(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Reads eight bytes in native order. */
    public static long getLong(long address) {
        try {
            return (long) GET_LONG.invokeExact(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Writes one byte. */
    public static void putByte(long address, byte value) {
        try {
            PUT_BYTE.invokeExact(address, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Writes four bytes in native order. */
    public static void putInt(long address, int value) {
        try {
            PUT_INT.invokeExact(address, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Writes eight bytes in native order. */
    public static void putLong(long address, long value) {
        try {
            PUT_LONG.invokeExact(address, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Copies bytes of an array to memory.
     *
     * @throws IndexOutOfBoundsException if the array has not {@code length} bytes from {@code offset} on
     */
    public static void copyFromArray(byte[] src, int offset, long dstAddress, int length) {
        Objects.checkFromIndexSize(offset, length, src.length);
        try {
            COPY_FROM_ARRAY.invokeExact(src, offset, dstAddress, length);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Copies bytes of memory to an array.
     *
     * @throws IndexOutOfBoundsException if the array has not {@code length} bytes from {@code offset} on
     */
    public static void copyToArray(long srcAddress, byte[] dst, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, dst.length);
        try {
            COPY_TO_ARRAY.invokeExact(srcAddress, dst, offset, length);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * A direct buffer over memory, in native byte order, position 0 and limit {@code length}. It does not own the
     * memory: using it after {@link #free} is undefined. Newer JDKs refuse lengths over {@code Integer.MAX_VALUE - 8}.
     */
    public static ByteBuffer asByteBuffer(long address, int length) {
        checkSize(length);
        try {
            return (ByteBuffer) AS_BYTE_BUFFER.invokeExact(address, length);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * The address of the byte at a direct buffer's position. Slices, duplicates, read-only views and either byte order
     * are understood. The buffer must stay reachable for as long as the address is used.
     *
     * @throws IllegalArgumentException if the buffer lies on the Java heap and therefore has no address
     */
    public static long addressOf(ByteBuffer direct) {
        if (!direct.isDirect()) {
            throw new IllegalArgumentException(
                    "A buffer on the Java heap has no native address; use ByteBuffer.allocateDirect or copy its content");
        }
        try {
            return (long) ADDRESS_OF.invokeExact(direct);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Ends the mapping of a file at once, instead of when the collector finds the buffer. Nothing may touch the buffer, or
     * memory that it named, from then on.
     *
     * @param mapped as {@link java.nio.channels.FileChannel#map} returned it, no slice or duplicate
     */
    public static void unmap(MappedByteBuffer mapped) {
        FileMappings.unmap(mapped);
    }

    /** How many bytes of live blocks were asked for: a gauge for metrics and for tests that look for leaks. */
    public static long allocatedBytes() {
        return HEAP.liveBytes();
    }

    /** The size of a page of memory in bytes. */
    public static int pageSize() {
        return HANDLES.pageSize();
    }

    private static long checkSize(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("A size in bytes cannot be negative: " + bytes);
        }
        return bytes;
    }

    static RuntimeException unexpected(Throwable problem) {
        if (problem instanceof RuntimeException exception) {
            return exception;
        }
        if (problem instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("Access to native memory failed", problem);
    }
}

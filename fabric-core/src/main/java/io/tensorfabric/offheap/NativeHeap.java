package io.tensorfabric.offheap;

import java.lang.invoke.MethodHandle;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Allocates aligned blocks and remembers them, so that a wrong {@code free} is an exception instead of a crash. */
final class NativeHeap {

    /** From here on blocks are page-aligned and, where possible, mapped from the kernel untouched. */
    static final long LARGE_BLOCK = 2L << 20;

    private final MethodHandle malloc;
    private final MethodHandle free;
    private final NativeHandles.@Nullable PageHandles pages;
    private final int pageSize;
    private final ConcurrentMap<Long, Block> blocks = new ConcurrentHashMap<>();
    private final AtomicLong liveBytes = new AtomicLong();

    NativeHeap(NativeHandles handles) {
        this.malloc = handles.malloc();
        this.free = handles.free();
        this.pages = handles.pages();
        this.pageSize = handles.pageSize();
    }

    /** A block: what the system was asked for, and what the caller was given. */
    private record Block(long base, long baseBytes, long bytes, boolean mapped) {}

    long allocate(long bytes, long alignment) {
        if (bytes < 0) {
            throw new IllegalArgumentException("Cannot allocate a negative number of bytes: " + bytes);
        }
        if (alignment < 8 || Long.bitCount(alignment) != 1) {
            throw new IllegalArgumentException("Alignment must be a power of two of at least 8, not " + alignment);
        }
        boolean large = bytes >= LARGE_BLOCK;
        long effective = large ? Math.max(alignment, pageSize) : alignment;
        // Room for a block of its own address even when empty, and for moving the start up to the alignment.
        long baseBytes = Math.max(bytes, 1) + effective;
        if (baseBytes < 0 || baseBytes > Long.MAX_VALUE - pageSize) {
            throw new OffHeapAllocationException(bytes, liveBytes.get());
        }
        return large && pages != null ? map(pages, bytes, effective) : malloc(bytes, baseBytes, effective);
    }

    private long malloc(long bytes, long baseBytes, long alignment) {
        long base = reserve(bytes, malloc, baseBytes);
        if (base == 0) {
            throw new OffHeapAllocationException(bytes, liveBytes.get());
        }
        return record(alignUp(base, alignment), new Block(base, baseBytes, bytes, false));
    }

    private long map(NativeHandles.PageHandles kernel, long bytes, long alignment) {
        long length = alignUp(bytes, pageSize);
        long mapped = length + (alignment - pageSize);
        long base = reserve(bytes, kernel.map(), mapped);
        // MAP_FAILED is -1; user space addresses are positive.
        if (base <= 0) {
            throw new OffHeapAllocationException(bytes, liveBytes.get());
        }
        long address = alignUp(base, alignment);
        unmap(kernel, base, address - base);
        unmap(kernel, address + length, base + mapped - (address + length));
        return record(address, new Block(address, length, bytes, true));
    }

    private long reserve(long bytes, MethodHandle source, long baseBytes) {
        try {
            return (long) source.invokeExact(baseBytes);
        } catch (OutOfMemoryError | IllegalArgumentException e) {
            // Unsafe reports both "none left" and "more than the platform can address" this way.
            throw new OffHeapAllocationException(bytes, liveBytes.get(), e);
        } catch (Throwable e) {
            throw OffHeap.unexpected(e);
        }
    }

    private long record(long address, Block block) {
        blocks.put(address, block);
        liveBytes.addAndGet(block.bytes());
        return address;
    }

    void free(long address) {
        Block block = blocks.remove(address);
        if (block == null) {
            throw new IllegalArgumentException(
                    "Native memory was freed twice, or was not allocated by OffHeap.allocate");
        }
        liveBytes.addAndGet(-block.bytes());
        if (block.mapped() && pages != null) {
            unmap(pages, block.base(), block.baseBytes());
            return;
        }
        try {
            free.invokeExact(block.base());
        } catch (Throwable e) {
            throw OffHeap.unexpected(e);
        }
    }

    private static void unmap(NativeHandles.PageHandles kernel, long address, long bytes) {
        if (bytes == 0) {
            return;
        }
        int result;
        try {
            result = (int) kernel.unmap().invokeExact(address, bytes);
        } catch (Throwable e) {
            throw OffHeap.unexpected(e);
        }
        if (result != 0) {
            throw new IllegalStateException("munmap of " + bytes + " bytes failed");
        }
    }

    long liveBytes() {
        return liveBytes.get();
    }

    private static long alignUp(long value, long alignment) {
        return (value + alignment - 1) & -alignment;
    }
}

package io.tensorfabric.offheap;

import java.io.IOException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory of this process that processes of the same user on the same host can map to read, when they are told where it is;
 * see {@link SharedView}. It lies in a file of {@code /dev/shm} that has no name once it is made, so that nothing is left
 * behind however the process ends, and nobody finds it who was not told. All pages are taken at once: a host that is short
 * of memory says so here, and not by a fault at the first access.
 *
 * <p>Linux only. Thread-safe. As with {@link OffHeap}, callers own what they allocate.
 */
public final class SharedMemory {

    private static final NavigableMap<Long, SharedBlock> BLOCKS = new ConcurrentSkipListMap<>();

    private SharedMemory() {}

    /**
     * Allocates a block of zeros.
     *
     * @param bytes size of the block, 1 to {@link SharedBlock#MAX_BYTES}
     * @param alignment power of two
     * @return the address of the first byte, to be given to {@link #free} by the caller
     * @throws OffHeapAllocationException if there is no such memory here, or not enough
     * @throws IllegalArgumentException if an argument is out of range
     */
    public static long allocate(long bytes, long alignment) {
        if (bytes < 1 || alignment < 1 || Long.bitCount(alignment) != 1) {
            throw new IllegalArgumentException("No block has " + bytes + " bytes aligned to " + alignment);
        }
        SharedBlock block;
        try {
            block = SharedBlock.make(bytes, alignment);
        } catch (IOException | RuntimeException e) {
            throw new OffHeapAllocationException(bytes, "shared memory", String.valueOf(e.getMessage()), e);
        }
        BLOCKS.put(block.address(), block);
        return block.address();
    }

    /**
     * Frees a block. Processes that have mapped it keep what they mapped.
     *
     * @param address as returned by {@link #allocate}
     * @throws IllegalArgumentException if no live block starts there
     */
    public static void free(long address) {
        SharedBlock block = BLOCKS.remove(address);
        if (block == null) {
            throw new IllegalArgumentException("No live block of shared memory starts there");
        }
        block.close();
    }

    /** The live block in which a range lies as a whole, if there is one. */
    public static @Nullable SharedBlock find(long address, long length) {
        Map.Entry<Long, SharedBlock> below = BLOCKS.floorEntry(address);
        return below != null && below.getValue().covers(address, length) ? below.getValue() : null;
    }
}

package io.tensorfabric.memory;

import java.util.Arrays;

/**
 * Hands out parts of one range of addresses, best fit first; neighbours that are free become one extent at once. The
 * bookkeeping lies outside the range, since device memory cannot hold it. Not thread-safe.
 *
 * <p>Allocating and freeing take O(log n). Only when the free extents that are large enough all fail on alignment, as
 * small blocks between aligned ones can cause, are they all looked at before the request is refused.
 */
final class ExtentAllocator {

    static final int NONE = ExtentTree.NONE;

    /** How many extents of about the right size are tried before one that fits with any alignment is looked for. */
    private static final int CLOSE_FITS = 8;

    private final long granule;

    private final ExtentTree tree = new ExtentTree();

    private int[] previous = new int[tree.capacity()];

    private int[] next = new int[tree.capacity()];

    private boolean[] used = new boolean[tree.capacity()];

    /** Numbers that were given back, chained by {@link #next}. */
    private int spare = NONE;

    /** Numbers from here on were never used. */
    private int fresh;

    private long freeBytes;

    private int freeExtents;

    /**
     * An allocator with everything free.
     *
     * @param start first address, a multiple of the granule
     * @param size bytes, a multiple of the granule
     * @param granule unit of sizes, a power of two
     */
    ExtentAllocator(long start, long size, long granule) {
        this.granule = granule;
        int all = newExtent(start, size, NONE, NONE);
        addFree(all);
    }

    /**
     * Takes an extent.
     *
     * @param bytes size, rounded up to the granule, at least one granule
     * @param alignment power of two
     * @return its number, or {@link #NONE} if nothing fits
     */
    int allocate(long bytes, long alignment) {
        long size = ByteSizes.roundUp(Math.max(bytes, 1), granule);
        int extent = find(size, alignment);
        return extent == NONE ? NONE : take(extent, size, alignment);
    }

    /** Gives an extent back. */
    void free(int extent) {
        used[extent] = false;
        long start = tree.start(extent);
        long size = tree.size(extent);
        int before = previous[extent];
        if (before != NONE && !used[before]) {
            start = tree.start(before);
            size += tree.size(before);
            removeFree(before);
            unlink(before);
        }
        int after = next[extent];
        if (after != NONE && !used[after]) {
            size += tree.size(after);
            removeFree(after);
            unlink(after);
        }
        tree.set(extent, start, size);
        addFree(extent);
    }

    long start(int extent) {
        return tree.start(extent);
    }

    long size(int extent) {
        return tree.size(extent);
    }

    long freeBytes() {
        return freeBytes;
    }

    int freeExtents() {
        return freeExtents;
    }

    long largestFree() {
        return tree.largest();
    }

    private int find(long size, long alignment) {
        int extent = tree.ceiling(size);
        for (int i = 0; i < CLOSE_FITS && extent != NONE; i++) {
            if (fits(extent, size, alignment)) {
                return extent;
            }
            extent = tree.successor(extent);
        }
        if (extent == NONE) {
            return NONE;
        }
        int roomy = tree.ceiling(size + alignment - granule);
        if (roomy != NONE) {
            return roomy;
        }
        while (extent != NONE && !fits(extent, size, alignment)) {
            extent = tree.successor(extent);
        }
        return extent;
    }

    private boolean fits(int extent, long size, long alignment) {
        long start = tree.start(extent);
        return ByteSizes.roundUp(start, alignment) - start <= tree.size(extent) - size;
    }

    private int take(int extent, long size, long alignment) {
        removeFree(extent);
        long start = tree.start(extent);
        long end = start + tree.size(extent);
        long aligned = ByteSizes.roundUp(start, alignment);
        if (aligned > start) {
            int before = newExtent(start, aligned - start, previous[extent], extent);
            addFree(before);
        }
        if (aligned + size < end) {
            int after = newExtent(aligned + size, end - aligned - size, extent, next[extent]);
            addFree(after);
        }
        tree.set(extent, aligned, size);
        used[extent] = true;
        return extent;
    }

    private void addFree(int extent) {
        tree.insert(extent);
        freeBytes += tree.size(extent);
        freeExtents++;
    }

    private void removeFree(int extent) {
        tree.remove(extent);
        freeBytes -= tree.size(extent);
        freeExtents--;
    }

    private int newExtent(long start, long size, int before, int after) {
        int extent = nextNumber();
        tree.set(extent, start, size);
        used[extent] = false;
        previous[extent] = before;
        next[extent] = after;
        if (before != NONE) {
            next[before] = extent;
        }
        if (after != NONE) {
            previous[after] = extent;
        }
        return extent;
    }

    private int nextNumber() {
        if (spare != NONE) {
            int extent = spare;
            spare = next[extent];
            return extent;
        }
        if (fresh == tree.capacity()) {
            int capacity = Math.multiplyExact(fresh, 2);
            tree.grow(capacity);
            previous = Arrays.copyOf(previous, capacity);
            next = Arrays.copyOf(next, capacity);
            used = Arrays.copyOf(used, capacity);
        }
        return fresh++;
    }

    private void unlink(int extent) {
        int before = previous[extent];
        int after = next[extent];
        if (before != NONE) {
            next[before] = after;
        }
        if (after != NONE) {
            previous[after] = before;
        }
        next[extent] = spare;
        spare = extent;
    }
}

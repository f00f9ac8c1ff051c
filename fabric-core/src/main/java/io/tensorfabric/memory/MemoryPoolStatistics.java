package io.tensorfabric.memory;

/**
 * A consistent look at a {@link MemoryRegionPool}. Sizes are in bytes.
 *
 * @param name name of the pool
 * @param kind kind of its memory
 * @param capacity most that it may hold
 * @param registered memory of its slabs
 * @param inUse memory in leases, rounding included
 * @param peak most that was in use at once
 * @param free memory that leases could still take: registered and free, or not registered yet
 * @param largestFree largest buffer that could be leased now without waiting, alignment aside
 * @param slabs number of slabs
 * @param leases number of leases that are not closed
 * @param waits requests that had to wait, since the pool was made
 * @param failures requests that got no buffer, since the pool was made
 */
public record MemoryPoolStatistics(
        String name,
        MemoryKind kind,
        long capacity,
        long registered,
        long inUse,
        long peak,
        long free,
        long largestFree,
        int slabs,
        int leases,
        long waits,
        long failures) {

    /** {@code 1 - largestFree / free}: 0 when what is free is in one piece, or when nothing is. */
    public double fragmentation() {
        return free == 0 ? 0 : 1 - (double) largestFree / free;
    }
}

package io.tensorfabric.memory.cuda;

import io.tensorfabric.memory.MemoryPoolOptions;
import java.time.Duration;

/**
 * How memory of a GPU is used.
 *
 * @param pool sizes of its pool; the smallest block is 64 KiB or more
 * @param registration ways to register it
 * @param directRequired whether staging is an error
 * @param cachedRegistrations most allocations of the application that stay registered at once
 * @param copyTimeout longest time that a copy between host and GPU may take
 */
public record GpuMemoryOptions(
        MemoryPoolOptions pool,
        GpuRegistration registration,
        boolean directRequired,
        int cachedRegistrations,
        Duration copyTimeout) {

    /** Alignment and smallest block of buffers in GPU memory, in bytes. */
    public static final long BLOCK = 64 * 1024;

    /** Refuses values out of range with {@link IllegalArgumentException}. */
    public GpuMemoryOptions {
        if (pool.minBlock() < BLOCK) {
            pool = pool.withMinBlock(BLOCK);
        }
        if (cachedRegistrations < 1) {
            throw new IllegalArgumentException("cachedRegistrations must be at least 1, not " + cachedRegistrations);
        }
        if (copyTimeout.isNegative() || copyTimeout.isZero()) {
            throw new IllegalArgumentException("copyTimeout must be longer than zero, not " + copyTimeout);
        }
    }

    /** The pool's defaults, any way of registration, 256 allocations, 30 s. */
    public static GpuMemoryOptions defaults() {
        return new GpuMemoryOptions(
                MemoryPoolOptions.defaults().withMinBlock(BLOCK),
                GpuRegistration.AUTO,
                false,
                256,
                Duration.ofSeconds(30));
    }

    /** A copy with another pool. */
    public GpuMemoryOptions withPool(MemoryPoolOptions value) {
        return new GpuMemoryOptions(value, registration, directRequired, cachedRegistrations, copyTimeout);
    }

    /** A copy with other ways of registration. */
    public GpuMemoryOptions withRegistration(GpuRegistration value) {
        return new GpuMemoryOptions(pool, value, directRequired, cachedRegistrations, copyTimeout);
    }

    /** A copy in which staging is an error, or is not. */
    public GpuMemoryOptions withDirectRequired(boolean value) {
        return new GpuMemoryOptions(pool, registration, value, cachedRegistrations, copyTimeout);
    }

    /** A copy with another number of registered allocations. */
    public GpuMemoryOptions withCachedRegistrations(int value) {
        return new GpuMemoryOptions(pool, registration, directRequired, value, copyTimeout);
    }
}

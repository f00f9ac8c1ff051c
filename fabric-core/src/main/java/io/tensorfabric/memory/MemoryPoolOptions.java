package io.tensorfabric.memory;

import java.time.Duration;

/**
 * Sizes and patience of a {@link MemoryRegionPool}. Sizes are in bytes.
 *
 * @param slabSize memory that is registered at once; a pool that may not hold that much uses smaller slabs
 * @param maxBytes most that the pool registers
 * @param minBlock smallest block and unit of rounding, a power of two from 64 up
 * @param acquireTimeout how long to wait for a buffer; zero fails at once
 */
public record MemoryPoolOptions(long slabSize, long maxBytes, long minBlock, Duration acquireTimeout) {

    /** The smallest slab and pool: one page, in bytes. */
    public static final long MIN_SIZE = 4096;

    /** The smallest block, one cache line, in bytes. */
    public static final long MIN_BLOCK = 64;

    private static final long MIB = 1024 * 1024;

    /** Refuses values out of range with {@link IllegalArgumentException}. */
    public MemoryPoolOptions {
        require(slabSize >= MIN_SIZE, "slab size", MIN_SIZE + " bytes or more", slabSize);
        require(maxBytes >= MIN_SIZE, "maximum size", MIN_SIZE + " bytes or more", maxBytes);
        require(
                minBlock >= MIN_BLOCK && ByteSizes.isPowerOfTwo(minBlock) && minBlock <= Math.min(slabSize, maxBytes),
                "smallest block",
                "a power of two from " + MIN_BLOCK + " bytes up to the slab size",
                minBlock);
        require(!acquireTimeout.isNegative(), "acquire timeout", "zero or more", acquireTimeout);
    }

    /** Slabs of 256 MiB, 1 GiB at most, blocks from 256 bytes, 5 s of patience. */
    public static MemoryPoolOptions defaults() {
        return new MemoryPoolOptions(256 * MIB, 1024 * MIB, 256, Duration.ofSeconds(5));
    }

    /** A copy with another slab size in bytes. */
    public MemoryPoolOptions withSlabSize(long slabSize) {
        return new MemoryPoolOptions(slabSize, maxBytes, minBlock, acquireTimeout);
    }

    /** A copy with another maximum in bytes. */
    public MemoryPoolOptions withMaxBytes(long maxBytes) {
        return new MemoryPoolOptions(slabSize, maxBytes, minBlock, acquireTimeout);
    }

    /** A copy with another smallest block in bytes. */
    public MemoryPoolOptions withMinBlock(long minBlock) {
        return new MemoryPoolOptions(slabSize, maxBytes, minBlock, acquireTimeout);
    }

    /** A copy with another time to wait for a buffer. */
    public MemoryPoolOptions withAcquireTimeout(Duration acquireTimeout) {
        return new MemoryPoolOptions(slabSize, maxBytes, minBlock, acquireTimeout);
    }

    private static void require(boolean valid, String what, String range, Object value) {
        if (!valid) {
            throw new IllegalArgumentException("The " + what + " of a memory pool must be " + range + ": " + value);
        }
    }
}

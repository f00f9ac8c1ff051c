package io.tensorfabric.memory;

import java.time.Instant;

/**
 * Who has a buffer of a pool.
 *
 * @param holder name given to {@link MemoryRegionPool#acquire(long, String)}
 * @param bytes bytes taken from the pool, rounding included
 * @param since when the buffer was leased
 * @param leaked whether the lease was dropped without being closed, so that its memory stays in use
 */
public record LeaseHolder(String holder, long bytes, Instant since, boolean leaked) {

    @Override
    public String toString() {
        return "'" + holder + "' " + ByteSizes.format(bytes) + " since " + since + (leaked ? " (never closed)" : "");
    }
}

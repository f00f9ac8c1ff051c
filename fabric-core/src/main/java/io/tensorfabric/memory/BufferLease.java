package io.tensorfabric.memory;

import io.tensorfabric.verbs.MemoryRegion;

/**
 * A buffer of a {@link MemoryRegionPool}, owned by the caller until it closes it. Closing twice is harmless; use after
 * close throws {@link IllegalStateException}. Thread-safe.
 */
public interface BufferLease extends AutoCloseable {

    /** First byte. */
    long address();

    /** Bytes, as asked for. */
    long length();

    /** Kind of the memory. */
    MemoryKind kind();

    /** The slab's region that holds the buffer. */
    MemoryRegion region();

    /** Gives the buffer back to its pool. */
    @Override
    void close();
}

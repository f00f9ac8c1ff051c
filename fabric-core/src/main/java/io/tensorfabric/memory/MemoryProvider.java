package io.tensorfabric.memory;

/** Allocates raw memory of one kind for the slabs of pools. Implementations are thread-safe. */
public interface MemoryProvider {

    /** Kind of the memory. */
    MemoryKind kind();

    /**
     * Allocates memory with undefined content. The caller owns it and frees it.
     *
     * @param bytes size, at least 1
     * @param alignment power of two, at least 8
     * @return the first byte
     * @throws RuntimeException if there is not enough memory; the message says how much was asked for
     */
    long allocate(long bytes, long alignment);

    /**
     * Frees memory.
     *
     * @param address as returned by {@link #allocate}
     */
    void free(long address);
}

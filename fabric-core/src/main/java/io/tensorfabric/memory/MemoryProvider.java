package io.tensorfabric.memory;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import java.util.Set;

/** Allocates raw memory of one kind for the slabs of pools. Implementations are thread-safe. */
public interface MemoryProvider {

    /** Kind of the memory. */
    MemoryKind kind();

    /** What pages it is made of, in words. */
    default String pages() {
        return "ordinary pages";
    }

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
     * Registers memory of this kind with a device.
     *
     * @param domain where to register
     * @param address first byte, inside what {@link #allocate} returned
     * @param length bytes, at least 1
     * @param access rights of the region
     * @throws io.tensorfabric.verbs.VerbsException if the device or the kernel refuses
     */
    default MemoryRegion register(ProtectionDomain domain, long address, long length, Set<AccessFlag> access) {
        return domain.registerMemory(address, length, access);
    }

    /**
     * Frees memory.
     *
     * @param address as returned by {@link #allocate}
     */
    void free(long address);
}

package io.tensorfabric.memory;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import java.util.Set;

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

    /**
     * Registers the buffer once more, with rights of its own. The caller closes the region, before the lease.
     *
     * @param domain where to register
     * @param access rights of the region
     * @throws io.tensorfabric.verbs.VerbsException if the device or the kernel refuses
     */
    default MemoryRegion registerAgain(ProtectionDomain domain, Set<AccessFlag> access) {
        return domain.registerMemory(address(), length(), access);
    }

    /** Gives the buffer back to its pool. */
    @Override
    void close();
}

package io.tensorfabric.memory;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsException;
import java.util.Set;

/** Makes slabs (allocate, then register) and takes them apart (deregister, then free). Thread-safe. */
final class SlabFactory {

    /** Size of a huge page; slabs that are as large are aligned to one, so that the kernel can use them. */
    private static final long HUGE_PAGE = 2L * 1024 * 1024;

    private final String owner;

    private final ProtectionDomain domain;

    private final MemoryProvider provider;

    private final Set<AccessFlag> access;

    private final long granule;

    SlabFactory(String pool, ProtectionDomain domain, MemoryProvider provider, boolean allowWindows, long granule) {
        this.owner = "pool '" + pool + "'";
        this.domain = domain;
        this.provider = provider;
        this.access = allowWindows
                ? Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MEMORY_WINDOW_BIND)
                : Set.of(AccessFlag.LOCAL_WRITE);
        this.granule = granule;
    }

    MemoryKind kind() {
        return provider.kind();
    }

    String pages() {
        return provider.pages();
    }

    /** Registers a part of a slab once more, with rights of its own. */
    MemoryRegion registerAgain(ProtectionDomain target, long address, long length, Set<AccessFlag> rights) {
        return provider.register(target, address, length, rights);
    }

    Slab create(long size, long alignment, boolean dedicated) {
        long pages = Math.max(size >= HUGE_PAGE ? HUGE_PAGE : MemoryPoolOptions.MIN_SIZE, granule);
        long address = provider.allocate(size, Math.max(pages, alignment));
        MemoryRegion region;
        try {
            region = provider.register(domain, address, size, access);
        } catch (VerbsException e) {
            provider.free(address);
            throw MemoryRegistrationException.registering(
                    owner, domain.context().deviceName(), size, e);
        } catch (RuntimeException | Error e) {
            provider.free(address);
            throw e;
        }
        return new Slab(address, size, dedicated, region, granule);
    }

    /**
     * Deregisters, then frees.
     *
     * @throws MemoryRegistrationException if deregistering failed; the memory is then kept
     */
    void destroy(Slab slab) {
        try {
            slab.region.close();
        } catch (VerbsException e) {
            throw MemoryRegistrationException.deregistering(
                    owner, domain.context().deviceName(), slab.size, e);
        }
        provider.free(slab.address);
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.HostRegistration;
import io.tensorfabric.memory.HostRegistrations;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory as transfers need it.
 *
 * @param pool for landing zones and copies of small unregistered sources; not owned
 * @param domain where larger unregistered sources are registered for the time of their push; not owned
 */
record TransferMemory(MemoryRegionPool pool, Supplier<? extends ProtectionDomain> domain) {

    /** The region that holds a range already, if one does. */
    @Nullable MemoryRegion regionOf(long address, long length) {
        return pool.regionOf(address, length);
    }

    @Nullable BufferLease tryAcquire(long bytes, String holder) {
        return pool.tryAcquire(bytes, holder);
    }

    BufferLease acquire(long bytes, String holder, Duration timeout) {
        return pool.acquire(bytes, holder, timeout);
    }

    /** Registers a source for reading by the device: a WRITE needs no right at its source. */
    HostRegistration register(long address, long length) {
        return HostRegistrations.register(domain.get(), address, length, Set.of());
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.HostRegistration;
import io.tensorfabric.memory.HostRegistrations;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.verbs.AccessFlag;
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
 * @param gpus memory of GPUs, if there are any
 */
record TransferMemory(MemoryRegionPool pool, Supplier<? extends ProtectionDomain> domain, Gpus gpus) {

    /** The region that holds a range already, if one does. */
    @Nullable MemoryRegion regionOf(long address, long length) {
        return pool.regionOf(address, length);
    }

    /** A landing zone, of the GPU that tensors land in when peers can write there, else of the host. */
    BufferLease acquireZone(long bytes, String holder, Duration timeout) {
        GpuMemory gpu = gpus.landingGpu();
        return gpu != null && gpu.landsDirectly()
                ? gpu.pool().acquire(bytes, holder, timeout)
                : pool.acquire(bytes, holder, timeout);
    }

    /** Where listeners find tensors, unless their sender asked for something else. */
    MemoryKind landing() {
        return gpus.landing();
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

    /** Registers memory that the device reads into. */
    HostRegistration registerTarget(long address, long length) {
        return HostRegistrations.register(domain.get(), address, length, Set.of(AccessFlag.LOCAL_WRITE));
    }
}

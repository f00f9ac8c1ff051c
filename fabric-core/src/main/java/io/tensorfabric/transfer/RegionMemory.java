package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a published tensor as grants need it: in the pool it is registered, else it is when a memory window is to be bound for
 * the first time. Thread-safe.
 */
final class RegionMemory implements BufferLease {

    /** Remote rights come with the window, never with the region. */
    private static final Set<AccessFlag> ACCESS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MEMORY_WINDOW_BIND);

    private final TransferMemory memory;
    private final long address;
    private final long length;
    private @Nullable MemoryRegion own;

    RegionMemory(TransferMemory memory, long address, long length) {
        this.memory = memory;
        this.address = address;
        this.length = length;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public MemoryKind kind() {
        return MemoryKind.HOST;
    }

    @Override
    public synchronized MemoryRegion region() {
        MemoryRegion registered = own != null ? own : memory.regionOf(address, length);
        if (registered == null) {
            registered = memory.domain().get().registerMemory(address, length, ACCESS);
            own = registered;
        }
        return registered;
    }

    /** Deregisters what was registered here. All grants are closed. */
    @Override
    public synchronized void close() {
        MemoryRegion registered = own;
        if (registered != null) {
            registered.close();
            own = null;
        }
    }
}

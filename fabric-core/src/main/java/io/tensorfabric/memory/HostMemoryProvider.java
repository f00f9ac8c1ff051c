package io.tensorfabric.memory;

import io.tensorfabric.offheap.OffHeap;

/** Host memory from the operating system, aligned to a page at least. Stateless and thread-safe. */
public final class HostMemoryProvider implements MemoryProvider {

    @Override
    public MemoryKind kind() {
        return MemoryKind.HOST;
    }

    @Override
    public long allocate(long bytes, long alignment) {
        return OffHeap.allocate(bytes, Math.max(alignment, OffHeap.pageSize()));
    }

    @Override
    public void free(long address) {
        OffHeap.free(address);
    }
}

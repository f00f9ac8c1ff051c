package io.tensorfabric.memory;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.offheap.OffHeapAllocationException;
import io.tensorfabric.offheap.SharedMemory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Host memory that software devices of this host can copy from directly, see {@link SharedMemory}; where there is none, or
 * not enough, ordinary host memory, with one line in the log. Thread-safe.
 */
public final class SharedHostMemoryProvider implements MemoryProvider {

    private static final Logger log = LoggerFactory.getLogger(SharedHostMemoryProvider.class);

    private final HostMemoryProvider ordinary = new HostMemoryProvider();

    private final Set<Long> shared = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean told = new AtomicBoolean();

    @Override
    public MemoryKind kind() {
        return MemoryKind.HOST;
    }

    @Override
    public String pages() {
        return told.get() ? "shared memory as far as there was, then ordinary pages" : "shared memory, ordinary pages";
    }

    @Override
    public long allocate(long bytes, long alignment) {
        try {
            long address = SharedMemory.allocate(bytes, Math.max(alignment, OffHeap.pageSize()));
            shared.add(address);
            return address;
        } catch (OffHeapAllocationException e) {
            if (told.compareAndSet(false, true)) {
                log.info(
                        "{}; ordinary memory is used, so that bytes to peers on this host go through sockets."
                                + " Give /dev/shm more room, or memory to the container",
                        e.getMessage());
            }
            return ordinary.allocate(bytes, alignment);
        }
    }

    @Override
    public void free(long address) {
        if (shared.remove(address)) {
            SharedMemory.free(address);
        } else {
            ordinary.free(address);
        }
    }
}

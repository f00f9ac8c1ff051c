package io.tensorfabric.memory;

import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Buffers out of slabs of memory that are registered once. Slabs are taken when they are needed, up to a maximum, and
 * registered for local use only. Thread-safe.
 *
 * <p>A request that finds no room waits its turn, first come, first served, for at most the acquire timeout, and then
 * fails with {@link PoolExhaustedException}. A request larger than a slab gets a slab of its own, which is kept for the
 * next such request until its room is needed or {@link #trim()} is called. Registering a slab takes time (the kernel
 * pins every page); requests that need one are served one after the other meanwhile, all others go on.
 *
 * <p>Every lease must be closed. One that is dropped instead is reported in the log when the pool is used next, and its
 * memory stays in use, since the device may still work with it.
 */
public interface MemoryRegionPool extends AutoCloseable {

    /**
     * A pool without slabs yet.
     *
     * @param name name for messages and metrics
     * @param pd where slabs are registered; it must outlive the pool
     * @param provider where their memory comes from
     * @param options sizes and patience
     * @param allowWindows whether memory windows may be bound to buffers, so that peers can be let in
     * @throws IllegalArgumentException if the device cannot register even the smallest slab
     */
    static MemoryRegionPool create(
            String name,
            ProtectionDomain pd,
            MemoryProvider provider,
            MemoryPoolOptions options,
            boolean allowWindows) {
        return SlabPool.create(name, pd, provider, options, allowWindows);
    }

    /** Name of the pool. */
    String name();

    /** Kind of its memory. */
    MemoryKind kind();

    /** What pages its memory is made of, in words: huge ones or not, and why. */
    default String pages() {
        return "ordinary pages";
    }

    /** Sizes and patience. */
    MemoryPoolOptions options();

    /**
     * Registers the first slab now if there is none, so that limits show at start-up and not at the first transfer.
     *
     * @throws MemoryRegistrationException if the device or the kernel refuses
     * @throws IllegalStateException if the pool is closed
     */
    void warmUp();

    /**
     * Leases a buffer, waiting at most {@link MemoryPoolOptions#acquireTimeout()} for room.
     *
     * @param bytes size; a buffer of zero bytes is valid
     * @param holder who asks, for reports
     * @return the buffer, aligned to 64 bytes, to a page from 4096 bytes on, with undefined content; the caller closes it
     * @throws PoolExhaustedException if there is no room in time, or if it asks for more than the pool may ever hold
     * @throws MemoryRegistrationException if a new slab cannot be registered
     * @throws IllegalStateException if the pool is closed
     */
    BufferLease acquire(long bytes, String holder);

    /** As {@link #acquire(long, String)}, waiting at most the given time. */
    BufferLease acquire(long bytes, String holder, Duration timeout);

    /**
     * As {@link #acquire(long, String, Duration)}, with an alignment of the caller's.
     *
     * @param alignment power of two in bytes
     */
    BufferLease acquireAligned(long bytes, long alignment, String holder, Duration timeout);

    /** As {@link #acquire(long, String)}, but null at once where that would wait. It may register a slab. */
    @Nullable BufferLease tryAcquire(long bytes, String holder);

    /**
     * The region of the slab that holds a whole range, null if there is none. Made for the hot path: it allocates nothing
     * and takes no lock.
     *
     * @param address first byte
     * @param length bytes
     */
    @Nullable MemoryRegion regionOf(long address, long length);

    /** A look at the pool. */
    MemoryPoolStatistics statistics();

    /** Who holds buffers now, largest first. */
    List<LeaseHolder> holders();

    /**
     * Deregisters and frees the slabs that hold no lease.
     *
     * @return bytes that were freed
     * @throws MemoryRegistrationException if a slab could not be deregistered; its memory is kept and not used again
     */
    long trim();

    /** As {@link #close(Duration)} with 5 s. */
    @Override
    void close();

    /**
     * Refuses new leases, waits until all are closed, then deregisters and frees the slabs. Closing a closed pool does
     * nothing, closing one that could not be closed tries again.
     *
     * @param timeout how long to wait for leases
     * @throws PoolBusyException if leases are left after that time, or the thread is interrupted; their memory is kept,
     *     and goes when the last of them is closed
     * @throws MemoryRegistrationException if a slab could not be deregistered; its memory is kept and not used again
     */
    void close(Duration timeout);
}

package io.tensorfabric.memory;

import io.tensorfabric.memory.LeaseQueue.Waiter;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
public final class MemoryRegionPool implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryRegionPool.class);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /** Requests from this size on are aligned to a page, smaller ones to a cache line. */
    private static final long PAGE = 4096;

    private static final long CACHE_LINE = 64;

    private final String name;

    private final MemoryPoolOptions options;

    private final MemoryKind kind;

    /** Guards slabs, queue and counters. Never held while memory is registered. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition allReturned = lock.newCondition();

    private final SlabSet slabs;

    private final LeaseQueue queue = new LeaseQueue();

    private final SlabGrower grower;

    private final DroppedLeases dropped = new DroppedLeases();

    private long waits;

    private long failures;

    /** Whether a close gave up waiting, so that the last lease takes the slabs apart. */
    private boolean abandoned;

    private MemoryRegionPool(String name, MemoryPoolOptions options, SlabFactory factory, long largestRegion) {
        this.name = name;
        this.options = options;
        this.kind = factory.kind();
        this.slabs = new SlabSet(this, options, largestRegion);
        this.grower = new SlabGrower(lock, slabs, queue, factory);
    }

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
    public static MemoryRegionPool create(
            String name,
            ProtectionDomain pd,
            MemoryProvider provider,
            MemoryPoolOptions options,
            boolean allowWindows) {
        long largestRegion = RegionLimits.largestRegion(pd);
        SlabFactory factory = new SlabFactory(name, pd, provider, allowWindows, options.minBlock());
        return new MemoryRegionPool(name, options, factory, largestRegion);
    }

    /** Name of the pool. */
    public String name() {
        return name;
    }

    /** Kind of its memory. */
    public MemoryKind kind() {
        return kind;
    }

    /** Sizes and patience. */
    public MemoryPoolOptions options() {
        return options;
    }

    /**
     * Registers the first slab now if there is none, so that limits show at start-up and not at the first transfer.
     *
     * @throws MemoryRegistrationException if the device or the kernel refuses
     * @throws IllegalStateException if the pool is closed
     */
    public void warmUp() {
        PoolLease lease = lease(0, CACHE_LINE, "warm-up");
        if (lease != null) {
            lease.close();
        }
    }

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
    public BufferLease acquire(long bytes, String holder) {
        return acquire(bytes, holder, options.acquireTimeout());
    }

    /** As {@link #acquire(long, String)}, waiting at most the given time. */
    public BufferLease acquire(long bytes, String holder, Duration timeout) {
        return acquireAligned(bytes, alignment(bytes), holder, timeout);
    }

    /**
     * As {@link #acquire(long, String, Duration)}, with an alignment of the caller's.
     *
     * @param alignment power of two in bytes
     */
    public BufferLease acquireAligned(long bytes, long alignment, String holder, Duration timeout) {
        checkRequest(bytes, alignment);
        if (bytes > slabs.largestSlab()) {
            throw tooLarge(bytes);
        }
        PoolLease lease = lease(bytes, alignment, holder);
        return lease != null ? lease : await(bytes, alignment, holder, timeout);
    }

    /** As {@link #acquire(long, String)}, but null at once where that would wait. It may register a slab. */
    public @Nullable BufferLease tryAcquire(long bytes, String holder) {
        checkRequest(bytes, PAGE);
        if (bytes > slabs.largestSlab()) {
            return null;
        }
        return lease(bytes, alignment(bytes), holder);
    }

    /**
     * The region of the slab that holds a whole range, null if there is none. Made for the hot path: it allocates nothing
     * and takes no lock.
     *
     * @param address first byte
     * @param length bytes
     */
    public @Nullable MemoryRegion regionOf(long address, long length) {
        return slabs.index().regionOf(address, length);
    }

    /** A look at the pool. */
    public MemoryPoolStatistics statistics() {
        lock.lock();
        try {
            dropped.report(name);
            return slabs.statistics(name, kind, waits, failures);
        } finally {
            lock.unlock();
        }
    }

    /** Who holds buffers now, largest first. */
    public List<LeaseHolder> holders() {
        lock.lock();
        try {
            dropped.report(name);
            return slabs.holders();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Deregisters and frees the slabs that hold no lease.
     *
     * @return bytes that were freed
     * @throws MemoryRegistrationException if a slab could not be deregistered; its memory is kept and not used again
     */
    public long trim() {
        return grower.trim();
    }

    /** As {@link #close(Duration)} with 5 s. */
    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    /**
     * Refuses new leases, waits until all are closed, then deregisters and frees the slabs. Closing a closed pool does
     * nothing, closing one that could not be closed tries again.
     *
     * @param timeout how long to wait for leases
     * @throws PoolBusyException if leases are left after that time, or the thread is interrupted; their memory is kept,
     *     and goes when the last of them is closed
     * @throws MemoryRegistrationException if a slab could not be deregistered; its memory is kept and not used again
     */
    public void close(Duration timeout) {
        lock.lock();
        try {
            slabs.close();
            queue.wakeAll();
            awaitReturns(timeout);
        } finally {
            lock.unlock();
        }
        grower.tearDown();
    }

    /** Called under the lock. */
    PoolLease newLease(Slab slab, int extent, long length, String holder) {
        return new PoolLease(this, dropped.queue(), slab, extent, length, holder);
    }

    void release(LeaseRecord lease) {
        boolean last = false;
        lock.lock();
        try {
            if (slabs.release(lease)) {
                lease.clear();
                queue.wakeFirst();
                if (slabs.leases() == 0) {
                    allReturned.signalAll();
                    last = abandoned;
                }
            }
        } finally {
            lock.unlock();
        }
        if (last) {
            tearDownLate();
        }
    }

    /** A lease without waiting for others, or null. */
    private @Nullable PoolLease lease(long bytes, long alignment, String holder) {
        lock.lock();
        try {
            slabs.checkOpen();
            dropped.report(name);
            if (!queue.isEmpty()) {
                return null;
            }
            PoolLease lease = slabs.lease(bytes, alignment, holder);
            if (lease != null || !slabs.canGrow(bytes)) {
                return lease;
            }
        } finally {
            lock.unlock();
        }
        return grower.grow(bytes, alignment, holder, null);
    }

    private PoolLease await(long bytes, long alignment, String holder, Duration timeout) {
        lock.lock();
        try {
            if (timeout.isZero() || timeout.isNegative()) {
                throw exhausted(bytes, "without waiting", null);
            }
            waits++;
            Waiter waiter = queue.join(lock);
            try {
                return await(waiter, bytes, alignment, holder, timeout);
            } finally {
                queue.leave(waiter);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw exhausted(bytes, "the waiting thread was interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private PoolLease await(Waiter waiter, long bytes, long alignment, String holder, Duration timeout)
            throws InterruptedException {
        long left = TimeUnit.NANOSECONDS.convert(timeout);
        while (true) {
            left = waiter.await(left);
            slabs.checkOpen();
            if (queue.isFirst(waiter)) {
                PoolLease lease = slabs.lease(bytes, alignment, holder);
                if (lease == null && slabs.canGrow(bytes)) {
                    lease = growUnlocked(waiter, bytes, alignment, holder);
                }
                if (lease != null) {
                    return lease;
                }
            }
            if (left <= 0) {
                throw exhausted(bytes, "waited " + timeout.toMillis() + " ms", null);
            }
        }
    }

    private @Nullable PoolLease growUnlocked(Waiter waiter, long bytes, long alignment, String holder) {
        lock.unlock();
        try {
            return grower.grow(bytes, alignment, holder, waiter);
        } finally {
            lock.lock();
        }
    }

    private void awaitReturns(Duration timeout) {
        long left = TimeUnit.NANOSECONDS.convert(timeout);
        InterruptedException interruption = null;
        while (slabs.leases() > 0 && left > 0 && interruption == null) {
            try {
                left = allReturned.awaitNanos(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                interruption = e;
            }
        }
        if (slabs.leases() > 0) {
            abandoned = true;
            dropped.report(name);
            String waited =
                    interruption == null ? "after " + timeout.toMillis() + " ms" : "and waiting was interrupted";
            List<LeaseHolder> holders = slabs.holders();
            throw new PoolBusyException(
                    PoolReport.busy(name, holders.size(), slabs.summary(), waited), holders, interruption);
        }
    }

    /** By whom closes the last lease of a pool that somebody else wanted closed, so errors can only be logged. */
    private void tearDownLate() {
        try {
            grower.tearDown();
            LOG.info("Pool '{}' is closed, its last buffer came back", name);
        } catch (RuntimeException e) {
            LOG.error("Pool '{}' could not be closed after its last buffer came back", name, e);
        }
    }

    private PoolExhaustedException tooLarge(long bytes) {
        lock.lock();
        try {
            failures++;
            MemoryPoolStatistics now = slabs.statistics(name, kind, waits, failures);
            String message = PoolReport.tooLarge(now, bytes, slabs.largestSlab());
            return new PoolExhaustedException(message, name, bytes, now.largestFree(), null);
        } finally {
            lock.unlock();
        }
    }

    /** Called under the lock. */
    private PoolExhaustedException exhausted(long bytes, String why, @Nullable InterruptedException cause) {
        failures++;
        MemoryPoolStatistics now = slabs.statistics(name, kind, waits, failures);
        String message = PoolReport.exhausted(now, slabs.summary(), bytes, why);
        return new PoolExhaustedException(message, name, bytes, now.largestFree(), cause);
    }

    private static long alignment(long bytes) {
        return bytes >= PAGE ? PAGE : CACHE_LINE;
    }

    private static void checkRequest(long bytes, long alignment) {
        if (bytes < 0) {
            throw new IllegalArgumentException("A buffer cannot have " + bytes + " bytes");
        }
        if (!ByteSizes.isPowerOfTwo(alignment)) {
            throw new IllegalArgumentException("An alignment is a power of two: " + alignment);
        }
    }
}

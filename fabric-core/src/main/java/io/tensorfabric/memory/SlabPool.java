package io.tensorfabric.memory;

import io.tensorfabric.memory.LeaseQueue.Waiter;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pool: slabs, who waits for them, and the order of both under one lock. */
final class SlabPool implements MemoryRegionPool {

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

    private final SlabFactory factory;

    private final DroppedLeases dropped = new DroppedLeases();

    private long waits;

    private long failures;

    /** Whether a close gave up waiting, so that the last lease takes the slabs apart. */
    private boolean abandoned;

    private SlabPool(String name, MemoryPoolOptions options, SlabFactory factory, long largestRegion) {
        this.name = name;
        this.options = options;
        this.factory = factory;
        this.kind = factory.kind();
        this.slabs = new SlabSet(this, options, largestRegion);
        this.grower = new SlabGrower(lock, slabs, queue, factory);
    }

    static SlabPool create(
            String name,
            ProtectionDomain pd,
            MemoryProvider provider,
            MemoryPoolOptions options,
            boolean allowWindows) {
        long largestRegion = RegionLimits.largestRegion(pd);
        SlabFactory factory = new SlabFactory(name, pd, provider, allowWindows, options.minBlock());
        return new SlabPool(name, options, factory, largestRegion);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public MemoryKind kind() {
        return kind;
    }

    @Override
    public String pages() {
        return factory.pages();
    }

    @Override
    public MemoryPoolOptions options() {
        return options;
    }

    @Override
    public void warmUp() {
        PoolLease lease = lease(0, CACHE_LINE, "warm-up");
        if (lease != null) {
            lease.close();
        }
    }

    @Override
    public BufferLease acquire(long bytes, String holder) {
        return acquire(bytes, holder, options.acquireTimeout());
    }

    @Override
    public BufferLease acquire(long bytes, String holder, Duration timeout) {
        return acquireAligned(bytes, alignment(bytes), holder, timeout);
    }

    @Override
    public BufferLease acquireAligned(long bytes, long alignment, String holder, Duration timeout) {
        checkRequest(bytes, alignment);
        if (bytes > slabs.largestSlab()) {
            throw tooLarge(bytes);
        }
        PoolLease lease = lease(bytes, alignment, holder);
        return lease != null ? lease : await(bytes, alignment, holder, timeout);
    }

    @Override
    public @Nullable BufferLease tryAcquire(long bytes, String holder) {
        checkRequest(bytes, PAGE);
        if (bytes > slabs.largestSlab()) {
            return null;
        }
        return lease(bytes, alignment(bytes), holder);
    }

    @Override
    public @Nullable MemoryRegion regionOf(long address, long length) {
        return slabs.index().regionOf(address, length);
    }

    @Override
    public MemoryPoolStatistics statistics() {
        lock.lock();
        try {
            dropped.report(name);
            return slabs.statistics(name, kind, waits, failures);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<LeaseHolder> holders() {
        lock.lock();
        try {
            dropped.report(name);
            return slabs.holders();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long trim() {
        return grower.trim();
    }

    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    @Override
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

    MemoryRegion registerAgain(ProtectionDomain pd, long address, long length, Set<AccessFlag> access) {
        return factory.registerAgain(pd, address, length, access);
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

package io.tensorfabric.memory;

import io.tensorfabric.memory.LeaseQueue.Waiter;
import io.tensorfabric.memory.SlabSet.Growth;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes slabs and takes them apart, one at a time. Device and kernel are called without the pool's lock, since
 * registering a slab takes as long as pinning its pages. Thread-safe.
 */
final class SlabGrower {

    private static final Logger LOG = LoggerFactory.getLogger(SlabGrower.class);

    /** Held while slabs are made or taken apart; taken before the pool's lock. */
    private final ReentrantLock growth = new ReentrantLock();

    private final ReentrantLock lock;

    private final SlabSet slabs;

    private final LeaseQueue queue;

    private final SlabFactory factory;

    /** Slabs that could not be deregistered, lost to the pool. Guarded by {@link #growth}. */
    private final List<Slab> stuck = new ArrayList<>();

    /**
     * A grower.
     *
     * @param lock the pool's, guards slabs and queue
     */
    SlabGrower(ReentrantLock lock, SlabSet slabs, LeaseQueue queue, SlabFactory factory) {
        this.lock = lock;
        this.slabs = slabs;
        this.queue = queue;
        this.factory = factory;
    }

    /**
     * Meets a request by making a slab, dropping idle ones if there is no room else.
     *
     * @param waiter the caller's place in the queue, null if it has none
     * @return null if the request must wait for leases or for those before it
     * @throws MemoryRegistrationException if the slab cannot be registered
     */
    @Nullable PoolLease grow(long bytes, long alignment, String holder, @Nullable Waiter waiter) {
        growth.lock();
        try {
            while (true) {
                Growth plan;
                lock.lock();
                try {
                    if (waiter == null ? !queue.isEmpty() : !queue.isFirst(waiter)) {
                        return null;
                    }
                    PoolLease lease = slabs.lease(bytes, alignment, holder);
                    plan = lease == null ? slabs.planGrowth(bytes) : null;
                    if (plan == null) {
                        return lease;
                    }
                } finally {
                    lock.unlock();
                }
                if (makeRoom(plan)) {
                    return leaseInNewSlab(plan, bytes, alignment, holder);
                }
            }
        } finally {
            growth.unlock();
        }
    }

    /** Takes idle slabs apart; returns the bytes that were freed. */
    long trim() {
        growth.lock();
        try {
            return destroyAll(takeIdle());
        } finally {
            growth.unlock();
        }
    }

    /** Takes everything apart if no lease is left, also what could not be deregistered before. */
    void tearDown() {
        growth.lock();
        try {
            List<Slab> all = takeIdle();
            all.addAll(stuck);
            stuck.clear();
            destroyAll(all);
        } finally {
            growth.unlock();
        }
    }

    private boolean makeRoom(Growth plan) {
        try {
            destroyAll(plan.victims());
            return true;
        } catch (MemoryRegistrationException e) {
            // The memory is lost to the pool; other idle slabs may make enough room.
            LOG.error("An idle slab could not be dropped", e);
            return false;
        }
    }

    private @Nullable PoolLease leaseInNewSlab(Growth plan, long bytes, long alignment, String holder) {
        Slab slab = factory.create(plan.size(), alignment, plan.dedicated());
        lock.lock();
        try {
            // Even if the pool was closed meanwhile: closing takes apart what is in the set.
            slabs.add(slab);
            queue.wakeFirst();
            return slabs.leaseIn(slab, bytes, alignment, holder);
        } finally {
            lock.unlock();
        }
    }

    private List<Slab> takeIdle() {
        lock.lock();
        try {
            return slabs.takeIdle();
        } finally {
            lock.unlock();
        }
    }

    private long destroyAll(List<Slab> victims) {
        long freed = 0;
        RuntimeException failure = null;
        for (Slab slab : victims) {
            try {
                factory.destroy(slab);
                freed += slab.size;
                destroyed(slab);
            } catch (RuntimeException e) {
                stuck.add(slab);
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        return freed;
    }

    private void destroyed(Slab slab) {
        lock.lock();
        try {
            slabs.destroyed(slab);
            queue.wakeFirst();
        } finally {
            lock.unlock();
        }
    }
}

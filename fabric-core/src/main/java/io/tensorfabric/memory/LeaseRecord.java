package io.tensorfabric.memory;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.time.Instant;

/**
 * The pool's own memory of a lease. It outlives a lease that is dropped without being closed, which then shows up in
 * the pool's queue.
 */
final class LeaseRecord extends PhantomReference<PoolLease> {

    final Slab slab;

    final int extent;

    private final String holder;

    private final long sinceMillis = System.currentTimeMillis();

    /** Guarded by the pool's lock. */
    private boolean leaked;

    LeaseRecord(PoolLease lease, ReferenceQueue<PoolLease> dropped, Slab slab, int extent, String holder) {
        super(lease, dropped);
        this.slab = slab;
        this.extent = extent;
        this.holder = holder;
    }

    void markLeaked() {
        leaked = true;
    }

    void addTo(HolderSummary summary) {
        summary.add(holder, slab.extents.size(extent), sinceMillis, leaked);
    }

    LeaseHolder describe() {
        return new LeaseHolder(holder, slab.extents.size(extent), Instant.ofEpochMilli(sinceMillis), leaked);
    }
}

package io.tensorfabric.memory;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leases that the collector found unreachable and not closed. Reporting is guarded by the lock of the pool. */
final class DroppedLeases {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryRegionPool.class);

    private final ReferenceQueue<PoolLease> queue = new ReferenceQueue<>();

    ReferenceQueue<PoolLease> queue() {
        return queue;
    }

    /** Says which leases were dropped since the last call. They stay in use: a device may still work with them. */
    void report(String pool) {
        Reference<? extends PoolLease> reference = queue.poll();
        while (reference != null) {
            LeaseRecord lease = (LeaseRecord) reference;
            if (lease.slab.holds(lease)) {
                lease.markLeaked();
                String report = PoolReport.neverClosed(pool, lease.describe());
                LOG.warn(report);
            }
            reference = queue.poll();
        }
    }
}

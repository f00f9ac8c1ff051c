package io.tensorfabric.memory;

import io.tensorfabric.verbs.MemoryRegion;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Memory that was registered at once, and the leases in it. Guarded by the lock of its pool. */
final class Slab {

    final long address;

    final long size;

    /** Whether this was made for a request that is larger than an ordinary slab. */
    final boolean dedicated;

    final MemoryRegion region;

    final ExtentAllocator extents;

    /** By number of the extent. */
    private @Nullable LeaseRecord[] leases = new LeaseRecord[16];

    private int leaseCount;

    Slab(long address, long size, boolean dedicated, MemoryRegion region, long granule) {
        this.address = address;
        this.size = size;
        this.dedicated = dedicated;
        this.region = region;
        this.extents = new ExtentAllocator(address, size, granule);
    }

    boolean isIdle() {
        return leaseCount == 0;
    }

    int leaseCount() {
        return leaseCount;
    }

    void remember(LeaseRecord lease) {
        if (lease.extent >= leases.length) {
            leases = Arrays.copyOf(leases, Math.max(lease.extent + 1, leases.length * 2));
        }
        leases[lease.extent] = lease;
        leaseCount++;
    }

    /** Frees the memory of a lease; false if that happened before. */
    boolean forget(LeaseRecord lease) {
        if (leases[lease.extent] != lease) {
            return false;
        }
        leases[lease.extent] = null;
        leaseCount--;
        extents.free(lease.extent);
        return true;
    }

    boolean holds(LeaseRecord lease) {
        return leases[lease.extent] == lease;
    }

    void summarizeLeases(HolderSummary summary) {
        for (LeaseRecord lease : leases) {
            if (lease != null) {
                lease.addTo(summary);
            }
        }
    }

    void describeLeases(List<LeaseHolder> holders) {
        for (LeaseRecord lease : leases) {
            if (lease != null) {
                holders.add(lease.describe());
            }
        }
    }
}

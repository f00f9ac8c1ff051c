package io.tensorfabric.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The slabs of one pool and the rules by which it takes and drops them. Guarded by the lock of the pool. */
final class SlabSet {

    /** Dedicated slabs are dropped first: ordinary ones are likelier to be used again. */
    private static final Comparator<Slab> DROP_ORDER =
            Comparator.comparing((Slab slab) -> !slab.dedicated).thenComparingLong(slab -> slab.size);

    /**
     * A slab to make, once others are gone.
     *
     * @param size its bytes
     * @param dedicated whether it is for one large request
     * @param victims idle slabs to take apart first, already out of the set but still counted as registered
     */
    record Growth(long size, boolean dedicated, List<Slab> victims) {}

    private final SlabPool pool;

    private final long capacity;

    private final long slabSize;

    private final long unit;

    private final long largestSlab;

    private final List<Slab> slabs = new ArrayList<>();

    private volatile SlabIndex index = SlabIndex.EMPTY;

    private long registered;

    private long inUse;

    private long peak;

    private int leases;

    private boolean closed;

    /**
     * A set without slabs.
     *
     * @param pool the owner
     * @param options sizes
     * @param largestRegion most bytes that the device registers at once
     */
    SlabSet(SlabPool pool, MemoryPoolOptions options, long largestRegion) {
        this.pool = pool;
        unit = Math.max(MemoryPoolOptions.MIN_SIZE, options.minBlock());
        capacity = ByteSizes.roundDown(options.maxBytes(), unit);
        largestSlab = Math.min(capacity, ByteSizes.roundDown(largestRegion, unit));
        slabSize = Math.min(ByteSizes.roundDown(options.slabSize(), unit), largestSlab);
        if (slabSize <= 0) {
            throw new IllegalArgumentException("The smallest slab of " + ByteSizes.format(unit)
                    + " does not fit into the pool's maximum size of " + ByteSizes.format(options.maxBytes())
                    + " or the device's largest memory region of " + ByteSizes.format(largestRegion));
        }
    }

    long capacity() {
        return capacity;
    }

    /** The largest request that can ever be met. */
    long largestSlab() {
        return largestSlab;
    }

    int leases() {
        return leases;
    }

    /** May be called without the lock. */
    SlabIndex index() {
        return index;
    }

    /** From now on there are no new leases. */
    void close() {
        closed = true;
    }

    /** Fails if closed. */
    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("Memory pool '" + pool.name() + "' is closed");
        }
    }

    /** A lease out of the slabs that there are, or null. Small requests go into dedicated slabs last. */
    @Nullable PoolLease lease(long bytes, long alignment, String holder) {
        checkOpen();
        PoolLease lease = bytes > slabSize ? null : lease(bytes, alignment, holder, false);
        return lease != null ? lease : lease(bytes, alignment, holder, true);
    }

    private @Nullable PoolLease lease(long bytes, long alignment, String holder, boolean dedicated) {
        // Idle dedicated slabs are for large requests: a small one would pin them, and can have an ordinary slab.
        boolean skipIdle = dedicated && bytes <= slabSize;
        for (int i = 0; i < slabs.size(); i++) {
            Slab slab = slabs.get(i);
            if (slab.dedicated == dedicated && !(skipIdle && slab.isIdle())) {
                PoolLease lease = leaseIn(slab, bytes, alignment, holder);
                if (lease != null) {
                    return lease;
                }
            }
        }
        return null;
    }

    /** A lease out of one slab, or null. */
    @Nullable PoolLease leaseIn(Slab slab, long bytes, long alignment, String holder) {
        checkOpen();
        int extent = slab.extents.allocate(bytes, alignment);
        if (extent == ExtentAllocator.NONE) {
            return null;
        }
        inUse += slab.extents.size(extent);
        peak = Math.max(peak, inUse);
        leases++;
        return pool.newLease(slab, extent, bytes, holder);
    }

    /** Takes the memory of a lease back; false if that happened before. */
    boolean release(LeaseRecord lease) {
        long bytes = lease.slab.extents.size(lease.extent);
        if (!lease.slab.forget(lease)) {
            return false;
        }
        inUse -= bytes;
        leases--;
        return true;
    }

    /** Whether {@link #planGrowth} would have a plan. */
    boolean canGrow(long bytes) {
        return room() + idleBytes() >= ByteSizes.roundUp(Math.max(bytes, 1), unit);
    }

    /** How to make room for a request that no slab can take; null if it must wait for leases. */
    @Nullable Growth planGrowth(long bytes) {
        if (!canGrow(bytes)) {
            return null;
        }
        long least = ByteSizes.roundUp(Math.max(bytes, 1), unit);
        boolean dedicated = least > slabSize;
        List<Slab> victims = new ArrayList<>();
        long room = room();
        for (Slab slab : slabs.stream().filter(Slab::isIdle).sorted(DROP_ORDER).toList()) {
            if (room >= least) {
                break;
            }
            victims.add(slab);
            room += slab.size;
        }
        remove(victims);
        return new Growth(dedicated ? least : Math.min(slabSize, room), dedicated, victims);
    }

    /** Slabs without leases, now out of the set but still counted as registered. */
    List<Slab> takeIdle() {
        List<Slab> idle = new ArrayList<>(slabs);
        idle.removeIf(slab -> !slab.isIdle());
        remove(idle);
        return idle;
    }

    /** A slab that was taken out is gone. */
    void destroyed(Slab slab) {
        registered -= slab.size;
    }

    /** Adds a slab. */
    void add(Slab slab) {
        slabs.add(slab);
        registered += slab.size;
        index = new SlabIndex(slabs);
    }

    private void remove(List<Slab> gone) {
        if (!gone.isEmpty()) {
            slabs.removeAll(gone);
            index = new SlabIndex(slabs);
        }
    }

    private long room() {
        return capacity - registered;
    }

    private long idleBytes() {
        long bytes = 0;
        for (int i = 0; i < slabs.size(); i++) {
            bytes += slabs.get(i).isIdle() ? slabs.get(i).size : 0;
        }
        return bytes;
    }

    /** The largest request that could be met now, alignment aside. */
    long largestFree() {
        long largest = Math.min(room() + idleBytes(), largestSlab);
        for (Slab slab : slabs) {
            largest = Math.max(largest, slab.extents.largestFree());
        }
        return largest;
    }

    /** Who holds leases, largest first. */
    List<LeaseHolder> holders() {
        List<LeaseHolder> holders = new ArrayList<>(leases);
        slabs.forEach(slab -> slab.describeLeases(holders));
        holders.sort(Comparator.comparingLong(LeaseHolder::bytes)
                .reversed()
                .thenComparing(LeaseHolder::since)
                .thenComparing(LeaseHolder::holder));
        return holders;
    }

    /** Who holds leases, in words. */
    HolderSummary summary() {
        HolderSummary summary = new HolderSummary();
        slabs.forEach(slab -> slab.summarizeLeases(summary));
        return summary;
    }

    MemoryPoolStatistics statistics(String name, MemoryKind kind, long waits, long failures) {
        long free = room();
        for (Slab slab : slabs) {
            free += slab.extents.freeBytes();
        }
        return new MemoryPoolStatistics(
                name,
                kind,
                capacity,
                registered,
                inUse,
                peak,
                free,
                largestFree(),
                slabs.size(),
                leases,
                waits,
                failures);
    }
}

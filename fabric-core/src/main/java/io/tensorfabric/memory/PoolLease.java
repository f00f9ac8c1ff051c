package io.tensorfabric.memory;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;

/** A lease of a pool. Never reused: a second close can not hit the next owner of the same memory. */
final class PoolLease implements BufferLease {

    private final SlabPool pool;

    private final LeaseRecord lease;

    private final long address;

    private final long length;

    private volatile boolean closed;

    PoolLease(SlabPool pool, ReferenceQueue<PoolLease> dropped, Slab slab, int extent, long length, String holder) {
        this.pool = pool;
        this.lease = new LeaseRecord(this, dropped, slab, extent, holder);
        this.address = slab.extents.start(extent);
        this.length = length;
        slab.remember(lease);
    }

    @Override
    public long address() {
        checkOpen();
        return address;
    }

    @Override
    public long length() {
        checkOpen();
        return length;
    }

    @Override
    public MemoryKind kind() {
        return pool.kind();
    }

    @Override
    public MemoryRegion region() {
        checkOpen();
        return lease.slab.region;
    }

    @Override
    public MemoryRegion registerAgain(ProtectionDomain domain, Set<AccessFlag> access) {
        checkOpen();
        return pool.registerAgain(domain, address, length, access);
    }

    @Override
    public void close() {
        closed = true;
        try {
            pool.release(lease);
        } finally {
            // Else the collector could find this lease dropped while it is being closed.
            Reference.reachabilityFence(this);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("This buffer of pool '" + pool.name() + "' was given back to it");
        }
    }

    /** Leaves out the address. */
    @Override
    public String toString() {
        return "BufferLease[pool=" + pool.name() + ", length=" + length + (closed ? ", closed]" : "]");
    }
}

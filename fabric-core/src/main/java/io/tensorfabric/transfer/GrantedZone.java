package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.RemoteGrant;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory of this node that a peer may write to. It goes back to the pool when the grant is revoked and the last tensor in
 * it is closed, whichever is later. Thread-safe.
 */
final class GrantedZone {

    private static final Logger log = LoggerFactory.getLogger(GrantedZone.class);

    private final int id;
    private final String peer;
    private final BufferLease lease;
    private final MemoryKind target;
    private final RemoteGrant grant;
    private final boolean dedicated;
    private final long address;
    private final long size;
    private final Runnable freed;
    private int tensors;
    private boolean ended;
    private boolean revoked;
    private long lastUsedNanos = System.nanoTime();

    /**
     * @param target where tensors go from here
     * @param freed called once, when the memory is back in its pool
     */
    GrantedZone(
            int id,
            String peer,
            BufferLease lease,
            MemoryKind target,
            RemoteGrant grant,
            boolean dedicated,
            Runnable freed) {
        this.id = id;
        this.peer = peer;
        this.lease = lease;
        this.target = target;
        this.grant = grant;
        this.dedicated = dedicated;
        this.address = lease.address();
        this.size = lease.length();
        this.freed = freed;
    }

    int id() {
        return id;
    }

    /** Where its memory lies. */
    MemoryKind kind() {
        return lease.kind();
    }

    boolean isDedicated() {
        return dedicated;
    }

    /** How a tensor comes from here into memory of a kind. */
    TransferPath path(MemoryKind landing) {
        return shared() != null ? TransferPath.CUDA_IPC : ZoneKinds.path(ZoneKinds.describe(lease.kind(), landing));
    }

    long size() {
        return size;
    }

    /** Memory that the peer opens by itself, {@code null} for a zone that lanes write to. */
    @Nullable SharedLanding shared() {
        return lease instanceof SharedLanding landing ? landing : null;
    }

    /** Whether the peer gives it back when it is asked to. */
    boolean isLent() {
        return dedicated || shared() != null;
    }

    /** What the peer must know to write here. */
    ZoneGrant describe(Connection connection) {
        SharedLanding landing = shared();
        if (landing != null) {
            return landing.describe(id, dedicated);
        }
        List<Integer> keys = new ArrayList<>();
        for (int lane = 0; lane < connection.lanes().size(); lane++) {
            keys.add(grant.rkey(lane));
        }
        return new ZoneGrant(id, grant.address(), size, ZoneKinds.describe(lease.kind(), target), keys, dedicated);
    }

    /** A tensor arrived here; returns its first byte, or 0 if the zone has ended or the range is none of it. */
    synchronized long open(long offset, long length) {
        boolean inside = offset >= 0 && length > 0 && length <= size && offset <= size - length;
        if (ended || !inside || (dedicated && (offset != 0 || tensors > 0))) {
            return 0;
        }
        tensors++;
        return address + offset;
    }

    /** A tensor here is closed. */
    void close() {
        boolean last;
        synchronized (this) {
            tensors--;
            lastUsedNanos = System.nanoTime();
            last = revoked && tensors == 0;
        }
        if (last) {
            free();
        }
    }

    synchronized boolean isIdle(long nanos) {
        return !ended && tensors == 0 && System.nanoTime() - lastUsedNanos >= nanos;
    }

    synchronized boolean isUnused() {
        return tensors == 0;
    }

    /** Revokes the grant; may block for the device. Idempotent. */
    void end() {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        try {
            grant.close();
        } catch (RuntimeException e) {
            // The peer might still write: this memory must not be used for anything else.
            log.error(
                    "The grant of zone {} to peer '{}' could not be revoked; its {} bytes stay taken",
                    id,
                    peer,
                    size,
                    e);
            return;
        }
        boolean last;
        synchronized (this) {
            revoked = true;
            last = tensors == 0;
        }
        if (last) {
            free();
        }
    }

    private void free() {
        lease.close();
        freed.run();
    }

    @Override
    public String toString() {
        return "GrantedZone[" + id + " of " + size + " bytes to '" + peer + "']";
    }
}

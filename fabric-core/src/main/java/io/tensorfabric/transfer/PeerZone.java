package io.tensorfabric.transfer;

import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.cuda.GpuImport;
import org.jspecify.annotations.Nullable;

/** A zone of the peer that this node may write to. Guarded by its link's lock. Never printed with address or keys. */
final class PeerZone {

    private final int id;
    private final long address;
    private final int[] rkeys;
    private final boolean dedicated;
    private final TransferPath path;
    private final ZoneAllocator rooms;
    private final @Nullable GpuImport opened;
    private final long token;
    private boolean retireWanted;

    /** Copies of GPUs to here that are under way. */
    int copies;

    PeerZone(ZoneGrant grant) {
        this.id = grant.zoneId();
        this.address = grant.address();
        this.dedicated = grant.dedicated();
        this.rkeys = grant.rkeys().stream().mapToInt(Integer::intValue).toArray();
        this.path = ZoneKinds.path(grant.memoryKind());
        this.rooms = new ZoneAllocator(grant.size());
        this.opened = null;
        this.token = 0;
    }

    /** A zone that this node has open by itself. */
    PeerZone(ZoneGrant grant, GpuImport opened, long token) {
        this.id = grant.zoneId();
        this.address = opened.address();
        this.dedicated = grant.dedicated();
        this.rkeys = new int[0];
        this.path = TransferPath.CUDA_IPC;
        this.rooms = new ZoneAllocator(grant.size());
        this.opened = opened;
        this.token = token;
    }

    /** What this node has open, null for a zone that lanes write to. */
    @Nullable GpuImport opened() {
        return opened;
    }

    /** Names it in requests. */
    long token() {
        return token;
    }

    int id() {
        return id;
    }

    long address() {
        return address;
    }

    int rkey(int lane) {
        return rkeys[lane];
    }

    /** Whether it holds one tensor at a time. */
    boolean isDedicated() {
        return dedicated;
    }

    /**
     * How tensors come from here into their place.
     *
     * @param asked what was asked for since it is not what tensors do anyway
     */
    TransferPath path(LandingKind asked) {
        boolean toHost = asked == LandingKind.HOST;
        return switch (path) {
            case GPU_DIRECT -> toHost ? TransferPath.HOST_STAGED : path;
            case HOST_STAGED -> toHost ? TransferPath.HOST : path;
            case HOST -> asked == LandingKind.DEVICE ? TransferPath.HOST_STAGED : path;
            case NONE, CUDA_IPC -> path;
        };
    }

    ZoneAllocator rooms() {
        return rooms;
    }

    void wantRetired() {
        retireWanted = true;
    }

    /** Whether the peer wants it back and nothing of this node is in it. */
    boolean mayRetire() {
        return retireWanted && rooms.isUnused() && copies == 0;
    }

    /** Whether the peer may want it back. */
    boolean isLent() {
        return dedicated || opened != null;
    }

    @Override
    public String toString() {
        return "PeerZone[" + id + (dedicated ? ", dedicated, " : ", ") + rooms + "]";
    }
}

package io.tensorfabric.transfer;

import io.tensorfabric.connection.ZoneGrant;

/** A zone of the peer that this node may write to. Guarded by its link's lock. Never printed with address or keys. */
final class PeerZone {

    private final int id;
    private final long address;
    private final int[] rkeys;
    private final boolean dedicated;
    private final TransferPath path;
    private final ZoneAllocator rooms;
    private boolean retireWanted;

    PeerZone(ZoneGrant grant) {
        this.id = grant.zoneId();
        this.address = grant.address();
        this.dedicated = grant.dedicated();
        this.rkeys = grant.rkeys().stream().mapToInt(Integer::intValue).toArray();
        this.path = ZoneKinds.path(grant.memoryKind());
        this.rooms = new ZoneAllocator(grant.size());
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

    /** How tensors come from here into their place. */
    TransferPath path() {
        return path;
    }

    ZoneAllocator rooms() {
        return rooms;
    }

    void wantRetired() {
        retireWanted = true;
    }

    /** Whether the peer wants it back and nothing of this node is in it. */
    boolean mayRetire() {
        return retireWanted && rooms.isUnused();
    }

    @Override
    public String toString() {
        return "PeerZone[" + id + (dedicated ? ", dedicated, " : ", ") + rooms + "]";
    }
}

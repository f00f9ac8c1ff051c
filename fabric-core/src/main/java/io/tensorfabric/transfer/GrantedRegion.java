package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.RegionGrant;
import io.tensorfabric.connection.RemoteGrant;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.verbs.AccessFlag;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Access of one peer to a published tensor, over one connection. Thread-safe. */
final class GrantedRegion {

    private final int id;
    private final PublishedRegion region;
    private final PeerLink link;
    private final Set<AccessFlag> rights;

    /** {@code null} for a tensor without bytes. */
    private final @Nullable RemoteGrant grant;

    GrantedRegion(int id, PublishedRegion region, PeerLink link, Set<AccessFlag> rights, @Nullable RemoteGrant grant) {
        this.id = id;
        this.region = region;
        this.link = link;
        this.rights = Set.copyOf(rights);
        this.grant = grant;
    }

    int id() {
        return id;
    }

    PublishedRegion region() {
        return region;
    }

    PeerLink link() {
        return link;
    }

    boolean isWritable() {
        return rights.contains(AccessFlag.REMOTE_WRITE);
    }

    /** What the peer must know; secret. */
    ZoneGrant describe(Connection connection, @Nullable Integer checksum) {
        List<Integer> keys = new ArrayList<>();
        RemoteGrant memory = grant;
        if (memory != null) {
            for (int lane = 0; lane < connection.lanes().size(); lane++) {
                keys.add(memory.rkey(lane));
            }
        }
        RegionGrant what = new RegionGrant(
                region.descriptor().dataType().name(),
                region.extents(),
                rights.contains(AccessFlag.REMOTE_READ),
                isWritable(),
                checksum);
        return new ZoneGrant(
                id,
                memory == null ? 0 : memory.address(),
                region.descriptor().byteLength(),
                region.tensor().kind().toString(),
                keys,
                false,
                null,
                what,
                null);
    }

    /**
     * Revokes it; when this has returned, the peer can do nothing there any more. Twice is harmless.
     *
     * @throws RuntimeException if the device does not revoke it
     */
    void revoke() {
        if (grant != null) {
            grant.close();
        }
    }

    @Override
    public String toString() {
        return "GrantedRegion[" + id + ", " + region.descriptor() + " to '" + link.peerName() + "']";
    }
}

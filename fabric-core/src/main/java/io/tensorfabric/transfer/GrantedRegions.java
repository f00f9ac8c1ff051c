package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.RegionRequest;
import io.tensorfabric.connection.RemoteGrant;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.verbs.AccessFlag;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The accesses to published tensors of this node that the peer of a link has, each scoped to that link. Thread-safe. */
final class GrantedRegions {

    private static final Logger log = LoggerFactory.getLogger(GrantedRegions.class);

    /** How long the device may take to open memory. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Far more than a peer needs; each costs a key on each lane. */
    private static final int MAX_REGIONS = 1024;

    private final Engine engine;
    private final PeerLink link;
    private final Connection connection;
    private final List<GrantedRegion> regions = new CopyOnWriteArrayList<>();

    /** Held while one is opened, which may block for the device. */
    private final ReentrantLock opening = new ReentrantLock();

    private volatile boolean down;

    GrantedRegions(Engine engine, PeerLink link, Connection connection) {
        this.engine = engine;
        this.link = link;
        this.connection = connection;
    }

    /** Opens a published tensor to the peer, or tells again of one that is open. On a negotiation thread. */
    ZoneGrant open(RegionRequest request) {
        PublishedRegion region = engine.published().find(request.name());
        if (region == null) {
            throw notPublished();
        }
        Set<AccessFlag> rights = region.rightsOf(link.nodeId(), connection.rights());
        if (rights.isEmpty()) {
            throw new ConnectionException(
                    ConnectionException.Kind.REFUSED,
                    link.peerName(),
                    "The tensor is published, but neither for reading nor for writing by this node");
        }
        Integer checksum = checksum(region, request.checksum(), rights);
        opening.lock();
        try {
            GrantedRegion present = find(region);
            return (present != null ? present : grant(region, rights)).describe(connection, checksum);
        } finally {
            opening.unlock();
        }
    }

    private @Nullable Integer checksum(
            PublishedRegion region, RegionRequest.@Nullable Part part, Set<AccessFlag> rights) {
        if (part == null) {
            return null;
        }
        long size = region.descriptor().byteLength();
        if (!rights.contains(AccessFlag.REMOTE_READ) || part.length() > size || part.offset() > size - part.length()) {
            throw new ConnectionException(
                    ConnectionException.Kind.MALFORMED,
                    link.peerName(),
                    "The checksum of a part was asked for that this node may not read, or that is none of the tensor");
        }
        Integer checksum = region.checksum(part);
        if (checksum == null) {
            throw notPublished();
        }
        return checksum;
    }

    private GrantedRegion grant(PublishedRegion region, Set<AccessFlag> rights) {
        if (regions.size() >= MAX_REGIONS) {
            throw new ConnectionException(
                    ConnectionException.Kind.LIMIT,
                    link.peerName(),
                    "This node has access to " + MAX_REGIONS + " published tensors already, the most there can be");
        }
        if (!region.beginOpening()) {
            throw notPublished();
        }
        GrantedRegion access = null;
        try {
            RemoteGrant memory =
                    region.memory().length() == 0 ? null : connection.grant(region.memory(), rights, PATIENCE);
            access = new GrantedRegion(link.receiver().takeZoneId(), region, link, rights, memory);
            // Before its owner can ask for it back.
            regions.add(access);
        } finally {
            region.endOpening(access);
        }
        if (down) {
            end(access);
            throw new ConnectionException(
                    ConnectionException.Kind.LOST,
                    link.peerName(),
                    "The connection went down while a published tensor was opened");
        }
        return access;
    }

    private ConnectionException notPublished() {
        return new ConnectionException(
                ConnectionException.Kind.NOT_PUBLISHED,
                link.peerName(),
                "No tensor of that name is published there now");
    }

    private @Nullable GrantedRegion find(PublishedRegion region) {
        for (GrantedRegion access : regions) {
            if (access.region().equals(region) && region.isOpen()) {
                return access;
            }
        }
        return null;
    }

    private @Nullable GrantedRegion find(int id) {
        for (GrantedRegion access : regions) {
            if (access.id() == id) {
                return access;
            }
        }
        return null;
    }

    /** The peer gives access back; false if it is none of these. */
    boolean retired(int id) {
        GrantedRegion access = find(id);
        if (access == null) {
            return false;
        }
        engine.cleanUp(() -> end(access));
        return true;
    }

    private void end(GrantedRegion access) {
        regions.remove(access);
        try {
            access.revoke();
        } catch (RuntimeException e) {
            // It counts as open, so that closing the published tensor tries once more, and tells its owner.
            log.warn("{} could not be revoked", access, e);
            return;
        }
        access.region().remove(access);
    }

    /** A PUT message came; on a poller thread. */
    void put(ByteBuffer body) {
        PutMessage message = PutMessage.read(body);
        GrantedRegion access = find(message.zoneId());
        if (access == null) {
            link.sender().answers().refuse(message.transferId(), RejectCode.REFUSED, "the tensor is published no more");
            return;
        }
        long size = access.region().descriptor().byteLength();
        if (!access.isWritable() || message.length() > size || message.offset() > size - message.length()) {
            throw new ProtocolViolation("a put tells of bytes that the peer may not write");
        }
        if (engine.refusesArrivals()) {
            link.sender()
                    .answers()
                    .refuse(message.transferId(), RejectCode.SHUTTING_DOWN, "the receiver is shutting down");
            return;
        }
        access.region().puts().add(new InboundPut(engine, link, access.region(), message));
    }

    /** The connection is down, and with it all its keys. */
    void down() {
        down = true;
        regions.forEach(this::end);
    }
}

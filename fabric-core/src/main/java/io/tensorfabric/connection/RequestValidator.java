package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.LinkLayer;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.QueuePairState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks what a peer says in a negotiation before anything is made of it. */
final class RequestValidator {

    static final int PROTOCOL_VERSION = 1;

    private static final int MAX_LANES = 1 + ConnectionOptions.MAX_BULK_LANES;

    private static final int MAX_24_BITS = (1 << 24) - 1;

    private static final int MAX_PROVIDER_ADDRESS = 1024;

    private static final int MAX_ZONES = 1024;

    /** Ids end up in logs and metrics: nothing that needs quoting there. */
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:@/-]{0,252}");

    private static final Pattern HOST = Pattern.compile("[0-9a-f]{16,64}");

    private final FabricServices services;

    RequestValidator(FabricServices services) {
        this.services = services;
    }

    /** Checks who asks and for what; the path follows with {@link #checkPath}. */
    void checkRequest(ConnectRequest request) {
        present("the peer", "initiator", request.initiator());
        checkIdentity(request.initiator());
        String peer = request.initiator().nodeId();
        present(peer, "connectionId", request.connectionId());
        present(peer, "provider", request.provider());
        if (request.protocolVersion() != PROTOCOL_VERSION) {
            throw refused(
                    peer,
                    "it speaks version " + request.protocolVersion() + " of the negotiation, this node speaks version "
                            + PROTOCOL_VERSION);
        }
        checkConnectionId(peer, request.connectionId());
        if (peer.equals(services.self().nodeId())) {
            throw refused(peer, "it has the node id of this node: give each node an id of its own");
        }
        if (services.policy().rightsOf(peer).isEmpty()) {
            throw refused(peer, "it is not among the nodes that this node lets in");
        }
        String provider = services.device().providerName();
        if (!request.provider().equals(provider)) {
            throw refused(peer, "it uses provider " + printable(request.provider()) + ", this node uses " + provider);
        }
        checkLanes(peer, request.lanes());
        checkGid(peer, request.path());
    }

    /** Checks the answer to an own request that was made for a path. */
    void checkResponse(ConnectRequest request, ConnectResponse response, NodeIdentity expected, PathDecision own) {
        String peer = expected.nodeId();
        present(peer, "responder", response.responder());
        present(peer, "connectionId", response.connectionId());
        present(peer, "zones", response.zones());
        checkIdentity(response.responder());
        if (!response.connectionId().equals(request.connectionId())) {
            throw malformed(peer, "its answer is for another connection");
        }
        if (!response.responder().nodeId().equals(peer)) {
            throw malformed(peer, "node " + response.responder().nodeId() + " answered instead");
        }
        checkLanes(peer, response.lanes());
        if (response.lanes().size() != request.lanes().size()) {
            throw malformed(
                    peer,
                    "it answered with " + response.lanes().size() + " lanes instead of "
                            + request.lanes().size());
        }
        checkGid(peer, response.path());
        checkPath(peer, response.path(), own);
        if (mtu(peer, response.mtu()).bytes()
                > Math.min(request.path().mtu(), response.path().mtu())) {
            throw malformed(peer, "it chose MTU " + response.mtu() + ", larger than one end takes");
        }
        checkZones(peer, response.zones(), request.lanes().size());
    }

    static void checkEstablished(FabricConnection connection, EstablishedRequest request) {
        int lanes = connection.laneSet().count();
        String peer = connection.peer().nodeId();
        present(peer, "zones", request.zones());
        checkZones(peer, request.zones(), lanes);
        states(peer, request.queuePairStates(), lanes);
    }

    /** What JSON may leave out. */
    private static void present(String peer, String field, @Nullable Object value) {
        if (value == null) {
            throw malformed(peer, field + " is missing");
        }
    }

    /** Whether a later call is by the node that the connection is with; others are told that there is no connection. */
    static void checkOwner(FabricConnection connection, @Nullable NodeIdentity caller) {
        if (!connection.peer().equals(caller)) {
            throw notFound(connection.id());
        }
    }

    static ConnectionException notFound(String connectionId) {
        return new ConnectionException(
                Kind.NOT_FOUND, "the caller", "There is no connection " + printable(connectionId) + " with this node");
    }

    static void checkConnectionId(String peer, String id) {
        try {
            if (UUID.fromString(id).toString().equals(id)) {
                return;
            }
        } catch (IllegalArgumentException ignored) {
            // Said below.
        }
        throw malformed(peer, "a connection id is a UUID in lower case, not " + printable(id));
    }

    static void checkIdentity(NodeIdentity identity) {
        present("the peer", "nodeId", identity.nodeId());
        present("the peer", "incarnation", identity.incarnation());
        if (!ID.matcher(identity.nodeId()).matches()
                || !ID.matcher(identity.incarnation()).matches()) {
            throw malformed(
                    printable(identity.nodeId()),
                    "node id and incarnation are 1 to 253 letters, digits and . _ : @ / -");
        }
    }

    private static void checkLanes(String peer, List<LaneOffer> lanes) {
        present(peer, "lanes", lanes);
        if (lanes.isEmpty() || lanes.size() > MAX_LANES) {
            throw malformed(peer, "a connection has 1 to " + MAX_LANES + " lanes, not " + lanes.size());
        }
        for (int i = 0; i < lanes.size(); i++) {
            checkLane(peer, lanes.get(i), i);
        }
    }

    private static void checkLane(String peer, LaneOffer lane, int index) {
        present(peer, "lane " + index, lane);
        LanePurpose purpose = index == 0 ? LanePurpose.CONTROL : LanePurpose.BULK;
        if (lane.index() != index || lane.purpose() != purpose) {
            throw malformed(peer, "lane " + index + " must have that index and purpose " + purpose);
        }
        range(peer, "qpn of lane " + index, lane.qpn(), 0, MAX_24_BITS);
        range(peer, "psn of lane " + index, lane.psn(), 0, MAX_24_BITS);
        range(
                peer,
                "receiveCredits of lane " + index,
                lane.receiveCredits(),
                ConnectionOptions.MIN_CREDITS,
                ConnectionOptions.MAX_CREDITS);
        String address = lane.providerAddress();
        if (address != null && address.length() > MAX_PROVIDER_ADDRESS) {
            throw malformed(peer, "providerAddress of lane " + index + " is too long");
        }
    }

    private static void checkGid(String peer, PathOffer path) {
        present(peer, "path", path);
        present(peer, "gid", path.gid());
        present(peer, "linkLayer", path.linkLayer());
        present(peer, "gidType", path.gidType());
        mtu(peer, path.mtu());
        range(peer, "lid", path.lid(), 0, 0xffff);
        try {
            Gid.parse(path.gid());
        } catch (IllegalArgumentException e) {
            throw malformed(peer, "gid is not of 32 hexadecimal digits");
        }
    }

    /** Checks that the peer's port and the own one can reach each other. */
    static void checkPath(String peer, PathOffer path, PathDecision own) {
        Gid gid = Gid.parse(path.gid());
        if (!path.linkLayer().equals(own.linkLayer().name())) {
            throw refused(
                    peer,
                    "its link layer is " + printable(path.linkLayer()) + ", that of " + own.device() + " port "
                            + own.port() + " is " + own.linkLayer());
        }
        if (!path.gidType().equals(own.gid().type().name())) {
            throw refused(
                    peer,
                    "its GID is of type " + printable(path.gidType()) + ", that of " + own.device() + " port "
                            + own.port() + " is " + PathSelector.describe(own.gid())
                            + ": configure a gid index of equal type at both ends");
        }
        boolean ethernet = own.linkLayer() == LinkLayer.ETHERNET;
        if (ethernet && AddressFamily.of(gid) != AddressFamily.of(own.gid().gid())) {
            throw refused(
                    peer,
                    "its GID " + gid + " is of another address family than " + PathSelector.describe(own.gid())
                            + " here: configure a gid index of the same family at both ends");
        }
        if (gid.toAddress().isMulticastAddress() || gid.toAddress().isAnyLocalAddress()) {
            throw malformed(peer, "its GID is no address of one host");
        }
        if (own.linkLayer() == LinkLayer.SOFTWARE
                && isLinkLocal(gid)
                && !isLinkLocal(own.gid().gid())) {
            // The software device would call it over TCP, and services on link-local addresses trust their callers.
            throw refused(peer, "its address for data is link-local, that of this node is not");
        }
        if (PathSelector.isLoopback(gid) != PathSelector.isLoopback(own.gid().gid())) {
            throw refused(
                    peer,
                    "one end offers a loopback address for its data (" + gid + " there, "
                            + own.gid().gid()
                            + " here), which the other cannot reach: configure the device address or gid index");
        }
    }

    private static boolean isLinkLocal(Gid gid) {
        return gid.toAddress().isLinkLocalAddress();
    }

    private static Mtu mtu(String peer, int bytes) {
        try {
            return Mtu.ofBytes(bytes);
        } catch (IllegalArgumentException e) {
            throw malformed(peer, "mtu is 256, 512, 1024, 2048 or 4096, not " + bytes);
        }
    }

    static List<QueuePairState> states(String peer, List<String> names, int lanes) {
        if (names.size() != lanes) {
            throw malformed(peer, "it tells states of " + names.size() + " queue pairs, not " + lanes);
        }
        try {
            return names.stream().map(QueuePairState::valueOf).toList();
        } catch (IllegalArgumentException e) {
            throw malformed(peer, "it tells a queue-pair state that does not exist");
        }
    }

    private static void checkZones(String peer, List<ZoneGrant> zones, int lanes) {
        if (zones.size() > MAX_ZONES) {
            throw malformed(peer, "it opens more than " + MAX_ZONES + " zones at once");
        }
        Set<Integer> ids = new HashSet<>();
        for (ZoneGrant zone : zones) {
            checkZone(peer, zone, lanes);
            if (!ids.add(zone.zoneId())) {
                throw malformed(peer, "it opens two zones of id " + zone.zoneId());
            }
        }
    }

    /** Checks a zone that a peer opens. */
    static ZoneGrant checkZone(String peer, ZoneGrant zone, int lanes) {
        if (zone.size() < 1 || zone.rkeys().size() != lanes || zone.address() + zone.size() < zone.address()) {
            throw malformed(peer, "zone " + zone.zoneId() + " needs a size and a key for each of " + lanes + " lanes");
        }
        if (zone.shared() != null || zone.region() != null) {
            throw malformed(peer, "zone " + zone.zoneId() + " is of another kind than was asked for");
        }
        return zone;
    }

    /** Checks the access to a published tensor that a peer gives; one without bytes has no keys. */
    static ZoneGrant checkRegion(String peer, ZoneGrant zone, int lanes) {
        boolean range = zone.size() >= 0 && zone.address() + zone.size() >= zone.address();
        if (zone.region() == null || zone.shared() != null || !range) {
            throw malformed(peer, "zone " + zone.zoneId() + " is not the published tensor that was asked for");
        }
        if (zone.rkeys().size() != (zone.size() == 0 ? 0 : lanes)) {
            throw malformed(peer, "the published tensor needs a key for each of " + lanes + " lanes");
        }
        return zone;
    }

    /** Checks a zone that a peer opens for this node to open by itself. */
    static ZoneGrant checkSharedZone(String peer, ZoneGrant zone) {
        if (zone.size() < 1 || zone.shared() == null || !zone.rkeys().isEmpty()) {
            throw malformed(peer, "zone " + zone.zoneId() + " needs a size and a handle, and no keys");
        }
        return zone;
    }

    /** Checks what a peer wants. */
    static void checkZoneRequest(String peer, ZoneRequest request) {
        SharedMemoryRequest shared = request.shared();
        RegionRequest region = request.region();
        if (region != null) {
            checkRegionRequest(peer, request, region);
            return;
        }
        if (request.bytes() < (shared == null ? 1 : 0)) {
            throw malformed(peer, "a zone has at least one byte, not " + request.bytes());
        }
        if (shared != null
                && (shared.process() < 1 || !HOST.matcher(shared.host()).matches())) {
            throw malformed(peer, "a zone of shared memory is for a process of a host");
        }
    }

    private static void checkRegionRequest(String peer, ZoneRequest request, RegionRequest region) {
        RegionRequest.Part part = region.checksum();
        if (request.bytes() != 0 || request.shared() != null) {
            throw malformed(peer, "a published tensor has its own size and memory");
        }
        if (part != null && (part.offset() < 0 || part.length() < 0)) {
            throw malformed(peer, "a part of a tensor has no negative range");
        }
    }

    private static void range(String peer, String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw malformed(peer, what + " is from " + min + " to " + max + ", not " + value);
        }
    }

    static ConnectionException malformed(String peer, String why) {
        return new ConnectionException(
                Kind.MALFORMED, peer, "The negotiation with " + peer + " makes no sense: " + why);
    }

    private static ConnectionException refused(String peer, String why) {
        return new ConnectionException(Kind.REFUSED, peer, "No connection with " + peer + " is possible: " + why);
    }

    /** What a peer said, fit for a message: short and without control characters. */
    private static String printable(String text) {
        String cut = text.length() > 60 ? text.substring(0, 60) + "..." : text;
        return "'" + cut.replaceAll("[^\\x20-\\x7e]", "?") + "'";
    }
}

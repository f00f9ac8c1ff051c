package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which name leads to which node. Names are configured, node ids are learned from the nodes; several names may lead to one
 * node. Thread-safe.
 */
final class PeerBook implements FabricServices.Peers {

    private static final Logger LOG = LoggerFactory.getLogger(PeerBook.class);

    private final PeerDirectory directory;
    private final NegotiationClient client;
    private final ConnectionOptions options;
    private final Map<String, PeerRecord> records = new ConcurrentHashMap<>();
    private final Map<String, String> nameByNode = new ConcurrentHashMap<>();

    PeerBook(PeerDirectory directory, NegotiationClient client, ConnectionOptions options) {
        this.directory = directory;
        this.client = client;
        this.options = options;
    }

    PeerRecord record(String name) {
        return records.computeIfAbsent(name, key -> new PeerRecord(key, options));
    }

    Collection<PeerRecord> records() {
        return records.values();
    }

    /** Records of all names that lead to a node, at least one. */
    List<PeerRecord> recordsOf(String nodeId) {
        List<PeerRecord> found = new ArrayList<>();
        for (PeerRecord record : records.values()) {
            if (nodeId.equals(record.nodeId())) {
                found.add(record);
            }
        }
        if (found.isEmpty()) {
            PeerRecord record = record(nodeId);
            record.learned(nodeId);
            found.add(record);
        }
        return found;
    }

    /** Node id that a name is known to lead to, or the name itself, which may be a node id. */
    String nodeIdOf(String name) {
        PeerRecord record = records.get(name);
        String known = record != null ? record.nodeId() : null;
        return known != null ? known : name;
    }

    /** A name was found to lead to a node. */
    void learned(String name, String nodeId) {
        record(name).learned(nodeId);
        nameByNode.putIfAbsent(nodeId, name);
        PeerRecord anonymous = records.get(nodeId);
        if (anonymous != null && !name.equals(nodeId)) {
            records.remove(nodeId, anonymous);
        }
    }

    @Override
    public String nameOf(String nodeId) {
        return nameByNode.getOrDefault(nodeId, nodeId);
    }

    @Nullable Peer find(String name) {
        return directory.find(name);
    }

    List<Peer> configured() {
        return directory.peers();
    }

    private @Nullable Peer known(String nodeId) {
        return directory.find(nameOf(nodeId));
    }

    /** The configured peer that a node is, asking those that are not known yet who they are. */
    private @Nullable Peer ask(String nodeId, Deadline deadline) {
        for (Peer peer : directory.peers()) {
            PeerRecord record = records.get(peer.name());
            if ((record == null || record.nodeId() == null) && !deadline.hasPassed()) {
                try {
                    String answered =
                            client.node(peer, deadline.remaining()).identity().nodeId();
                    if (peer.nodeId() == null || peer.nodeId().equals(answered)) {
                        learned(peer.name(), answered);
                    }
                } catch (ConnectionException e) {
                    LOG.debug("Peer {} does not say who it is", peer.name(), e);
                }
            }
        }
        return known(nodeId);
    }

    @Override
    public ZoneGrant openZone(FabricConnection connection, ZoneRequest request, Duration timeout) {
        Deadline deadline = Deadline.in(timeout);
        String nodeId = connection.peer().nodeId();
        Peer peer = known(nodeId);
        if (peer == null) {
            peer = ask(nodeId, deadline);
        }
        if (peer == null) {
            throw new ConnectionException(
                    Kind.UNKNOWN_PEER,
                    nodeId,
                    "Node " + nodeId + " connected to this node, but none of the peers configured here is it: it cannot"
                            + " be asked for " + (request.region() == null ? "a landing zone" : "a published tensor")
                            + ". Configure its address here too");
        }
        ZoneGrant zone = client.openZone(peer, connection.id(), request, deadline.remaining());
        int lanes = connection.laneSet().count();
        if (request.region() != null) {
            return RequestValidator.checkRegion(nodeId, zone, lanes);
        }
        return request.shared() != null
                ? RequestValidator.checkSharedZone(nodeId, zone)
                : RequestValidator.checkZone(nodeId, zone, lanes);
    }

    @Override
    public void tellClosed(FabricConnection connection, Duration timeout) {
        Peer peer = known(connection.peer().nodeId());
        if (peer == null) {
            return;
        }
        try {
            client.close(peer, connection.id(), timeout);
        } catch (ConnectionException e) {
            LOG.debug("Peer {} was not told that connection {} ends", peer.name(), connection.id(), e);
        }
    }
}

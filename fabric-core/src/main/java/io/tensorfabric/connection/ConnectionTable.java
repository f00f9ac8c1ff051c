package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * All connections of a node, and who is negotiating with whom: the one place that decides, under one lock, which connection
 * to a node counts. Nothing here blocks.
 */
final class ConnectionTable {

    private final NodeIdentity self;

    private final int maxConnections;

    private final int maxQueuePairs;

    private final Map<String, FabricConnection> byId = new HashMap<>();

    /** The latest connection with each node. */
    private final Map<String, FabricConnection> byNode = new HashMap<>();

    /** Own negotiations by the node that they are with. */
    private final Map<String, Attempt> attempts = new HashMap<>();

    private boolean closed;

    ConnectionTable(NodeIdentity self, int maxConnections, int maxQueuePairs) {
        this.self = self;
        this.maxConnections = maxConnections;
        this.maxQueuePairs = maxQueuePairs;
    }

    /**
     * What an own negotiation must do.
     *
     * @param join another connection, or negotiation, that will serve as well; {@code null} to go on
     * @param replaced an older connection that must be gone first, or {@code null}
     */
    record Claim(
            @Nullable CompletableFuture<Connection> join,
            @Nullable FabricConnection replaced) {}

    /**
     * What the answering end must do.
     *
     * @param existing the connection of that id, made before; {@code null} if the new one was admitted
     * @param replaced an older connection of the node that ends now, or {@code null}
     * @param yielded an own negotiation that gives way, or {@code null}
     * @param alive a connection that is UP and must be proven dead first, or {@code null}
     */
    record Admission(
            @Nullable FabricConnection existing,
            @Nullable FabricConnection replaced,
            @Nullable Attempt yielded,
            @Nullable FabricConnection alive) {}

    /** An own negotiation has learned whom it is with. */
    synchronized Claim claim(Attempt attempt, NodeIdentity peer) {
        FabricConnection present = byNode.get(peer.nodeId());
        if (present != null) {
            boolean sameLife = present.peer().incarnation().equals(peer.incarnation());
            if (sameLife && (present.isUp() || present.isHalfOpen())) {
                return new Claim(present.whenUp(), null);
            }
            return new Claim(null, present);
        }
        Attempt other = attempts.get(peer.nodeId());
        if (other != null && other != attempt) {
            return new Claim(other.outcome(), null);
        }
        checkOpen();
        attempts.put(peer.nodeId(), attempt);
        return new Claim(null, null);
    }

    /** Enters the connection of an own negotiation; false if that has given way. */
    synchronized boolean enter(Attempt attempt, FabricConnection connection) {
        if (attempt.hasYielded()) {
            return false;
        }
        checkOpen();
        checkLimit(connection);
        byId.put(connection.id(), connection);
        byNode.put(connection.peer().nodeId(), connection);
        return true;
    }

    /** An own negotiation is about to be UP; false if it has given way. From now on it cannot. */
    synchronized boolean settle(Attempt attempt, String nodeId) {
        if (attempt.hasYielded()) {
            return false;
        }
        attempts.remove(nodeId, attempt);
        return true;
    }

    /** An own negotiation has ended. */
    synchronized void release(Attempt attempt, String nodeId) {
        attempts.remove(nodeId, attempt);
    }

    /**
     * A peer asks for a connection.
     *
     * @param fresh the connection that would be made
     * @param provenDead a connection that was UP and is known to be of no use any more
     * @throws ConnectionException if it is refused
     */
    synchronized Admission admit(FabricConnection fresh, @Nullable FabricConnection provenDead) {
        checkOpen();
        NodeIdentity peer = fresh.peer();
        FabricConnection same = byId.get(fresh.id());
        if (same != null) {
            return new Admission(checkSame(same, fresh), null, null, null);
        }
        Attempt attempt = attempts.get(peer.nodeId());
        boolean crossing = attempt != null && attempt.isWith(peer) && !attempt.hasYielded();
        if (crossing && self.nodeId().compareTo(peer.nodeId()) < 0) {
            throw conflict(
                    peer, "a request of this node to that one is under way, and the lower node id's request wins");
        }
        FabricConnection present = byNode.get(peer.nodeId());
        if (present != null
                && present.peer().incarnation().equals(peer.incarnation())
                && present.isUp()
                && present != provenDead) {
            return new Admission(null, null, null, present);
        }
        checkLimit(fresh);
        if (attempt != null) {
            attempt.yieldTo(fresh);
            attempts.remove(peer.nodeId(), attempt);
        }
        byId.put(fresh.id(), fresh);
        byNode.put(peer.nodeId(), fresh);
        return new Admission(null, present, attempt, null);
    }

    private FabricConnection checkSame(FabricConnection same, FabricConnection fresh) {
        if (same.isInitiator() || !same.peer().equals(fresh.peer())) {
            throw conflict(fresh.peer(), "a connection of that id exists");
        }
        return same;
    }

    static ConnectionException conflict(NodeIdentity peer, String why) {
        return new ConnectionException(
                Kind.CONFLICT, peer.nodeId(), "The request of node " + peer.nodeId() + " is refused: " + why);
    }

    private void checkLimit(FabricConnection fresh) {
        if (byId.size() >= maxConnections) {
            throw limit(fresh, "connection limit " + maxConnections + " is reached", "maxConnections");
        }
        int used = 0;
        for (FabricConnection connection : byId.values()) {
            used += connection.laneSet().count();
        }
        if (used + fresh.laneSet().count() > maxQueuePairs) {
            throw limit(
                    fresh,
                    "connection limit " + maxQueuePairs + " queue pairs is reached, with " + byId.size()
                            + " connections that have " + used,
                    "maxQueuePairs");
        }
    }

    private static ConnectionException limit(FabricConnection fresh, String what, String option) {
        String node = fresh.peer().nodeId();
        return new ConnectionException(
                Kind.LIMIT,
                node,
                "No connection to " + node + ": " + what + ", all of them in use. Raise " + option
                        + ", or close connections");
    }

    private void checkOpen() {
        if (closed) {
            throw new ConnectionException(Kind.CLOSED, self.nodeId(), "This node is shutting down");
        }
    }

    @Nullable FabricConnection byId(String id) {
        synchronized (this) {
            return byId.get(id);
        }
    }

    /** The latest connection with a node, whatever its state. */
    synchronized @Nullable FabricConnection byNode(String nodeId) {
        return byNode.get(nodeId);
    }

    /** Whether a negotiation with a node is under way at this end. */
    synchronized boolean isNegotiating(String nodeId) {
        return attempts.containsKey(nodeId);
    }

    synchronized void remove(FabricConnection connection) {
        byId.remove(connection.id(), connection);
        byNode.remove(connection.peer().nodeId(), connection);
    }

    synchronized List<FabricConnection> all() {
        return new ArrayList<>(byId.values());
    }

    /** Admits nothing more; returns what is there. */
    synchronized List<FabricConnection> close() {
        closed = true;
        return new ArrayList<>(byId.values());
    }
}

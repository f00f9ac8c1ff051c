package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.EstablishedResponse;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NodeDescription;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.connection.ZoneRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;

/** The calling end of the negotiation over HTTP. Thread-safe. */
final class HttpNegotiationClient implements NegotiationClient, AutoCloseable {

    private static final String NODE = "/node";

    private static final String CONNECTIONS = "/connections";

    private final SealedExchange exchange;

    private final NegotiationJson json;

    private final PeerHttpClients resources;

    /** @param resources what the exchange works with; closed with this client */
    HttpNegotiationClient(SealedExchange exchange, NegotiationJson json, PeerHttpClients resources) {
        this.exchange = exchange;
        this.json = json;
        this.resources = resources;
    }

    /** Called with the application context. */
    @Override
    public void close() {
        resources.close();
    }

    @Override
    public NodeDescription node(Peer peer, Duration timeout) {
        return askNode(peer, new Deadline(timeout));
    }

    @Override
    public ConnectResponse connect(Peer peer, ConnectRequest request, Duration timeout) {
        Deadline deadline = new Deadline(timeout);
        byte[] body = json.write(request);
        try {
            return connect(peer, body, deadline);
        } catch (WrongTargetException ex) {
            return connect(peer, body, deadline);
        }
    }

    private ConnectResponse connect(Peer peer, byte[] body, Deadline deadline) {
        return call(peer, HttpMethod.POST, CONNECTIONS, body, deadline, ConnectResponse.class);
    }

    @Override
    public EstablishedResponse established(
            Peer peer, String connectionId, EstablishedRequest request, Duration timeout) {
        String path = CONNECTIONS + "/" + connectionId + "/established";
        return call(peer, HttpMethod.POST, path, json.write(request), new Deadline(timeout), EstablishedResponse.class);
    }

    @Override
    public ZoneGrant openZone(Peer peer, String connectionId, ZoneRequest request, Duration timeout) {
        String path = CONNECTIONS + "/" + connectionId + "/zones";
        return call(peer, HttpMethod.POST, path, json.write(request), new Deadline(timeout), ZoneGrant.class);
    }

    @Override
    public void close(Peer peer, String connectionId, Duration timeout) {
        Deadline deadline = new Deadline(timeout);
        ensureTarget(peer, deadline);
        exchange.send(peer, HttpMethod.DELETE, CONNECTIONS + "/" + connectionId, null, deadline.left());
    }

    private <T extends Record> T call(
            Peer peer, HttpMethod method, String path, byte @Nullable [] body, Deadline deadline, Class<T> type) {
        ensureTarget(peer, deadline);
        return read(peer, exchange.send(peer, method, path, body, deadline.left()), type);
    }

    private void ensureTarget(Peer peer, Deadline deadline) {
        if (exchange.needsTarget(peer)) {
            askNode(peer, deadline);
        }
    }

    private NodeDescription askNode(Peer peer, Deadline deadline) {
        NodeDescription node =
                read(peer, exchange.send(peer, HttpMethod.GET, NODE, null, deadline.left()), NodeDescription.class);
        exchange.learn(peer, node.identity());
        return node;
    }

    private <T extends Record> T read(Peer peer, byte[] body, Class<T> type) {
        try {
            return json.read(body, type);
        } catch (NegotiationProblem ex) {
            throw new ConnectionException(
                    ConnectionException.Kind.REFUSED,
                    peer.name(),
                    "Peer '" + peer.name() + "' at " + peer.uri() + " gave an answer that makes no sense: "
                            + ex.detail() + " Check that both run the same version");
        }
    }

    /** Time that is left of a timeout. */
    private static final class Deadline {

        private final long end;

        Deadline(Duration timeout) {
            this.end = System.nanoTime() + timeout.toNanos();
        }

        Duration left() {
            return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
        }
    }
}

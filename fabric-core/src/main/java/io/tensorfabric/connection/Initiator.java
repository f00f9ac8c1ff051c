package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.connection.ConnectionTable.Claim;
import io.tensorfabric.verbs.Mtu;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The asking end of a negotiation, one object for each. Runs on a negotiation thread, within one deadline; whatever happens,
 * nothing half-made stays when it has ended.
 */
final class Initiator {

    private static final Logger LOG = LoggerFactory.getLogger(Initiator.class);

    private final FabricServices services;
    private final ConnectionTable table;
    private final PeerBook book;
    private final NegotiationClient client;
    private final RequestValidator validator;
    private final Peer peer;
    private final Attempt attempt = new Attempt();
    private final Deadline deadline;
    private final PathDecision path;
    private final NegotiationSteps steps;
    private final Evictor evictor;
    private @Nullable FabricConnection connection;
    private boolean requested;

    Initiator(
            FabricServices services,
            ConnectionTable table,
            Evictor evictor,
            PeerBook book,
            NegotiationClient client,
            Peer peer) {
        this.evictor = evictor;
        this.services = services;
        this.table = table;
        this.book = book;
        this.client = client;
        this.validator = new RequestValidator(services);
        this.peer = peer;
        this.deadline = Deadline.in(services.options().negotiationTimeout());
        String host = peer.uri().getHost();
        this.path = services.device().path(host == null ? AddressFamily.ANY : AddressFamily.ofHost(host));
        this.steps = new NegotiationSteps(peer.name(), path);
    }

    Attempt attempt() {
        return attempt;
    }

    PathDecision path() {
        return path;
    }

    /** Id of the connection that was tried, or {@code null}. */
    @Nullable String connectionId() {
        FabricConnection tried = connection;
        return tried != null ? tried.id() : null;
    }

    /** Negotiates, and ends {@link Attempt#outcome}. */
    void run() {
        try {
            NodeIdentity identity = identify();
            Connection joined = claim(identity);
            attempt.outcome().complete(joined != null ? joined : negotiate(identity));
        } catch (ConnectionException e) {
            attempt.outcome().completeExceptionally(e);
        } catch (RuntimeException e) {
            attempt.outcome()
                    .completeExceptionally(new ConnectionException(
                            Kind.UNREACHABLE, peer.name(), "Connecting to " + peer.name() + " failed: " + e, null, e));
        }
    }

    private NodeIdentity identify() {
        NodeDescription description = steps.call("asking the peer who it is", () -> {
            checkPort();
            NodeDescription answer = client.node(peer, deadline.remaining());
            check(answer);
            return answer;
        });
        NodeIdentity identity = description.identity();
        attempt.learned(identity);
        book.learned(peer.name(), identity.nodeId());
        return identity;
    }

    private void checkPort() {
        String broken = services.device().failure();
        if (broken != null) {
            throw new ConnectionException(Kind.REFUSED, peer.name(), "the device failed: " + broken);
        }
        if (!services.device().isPortActive()) {
            throw new ConnectionException(
                    Kind.UNREACHABLE, peer.name(), "the port is not ACTIVE: check cable and switch");
        }
    }

    private void check(NodeDescription answer) {
        RequestValidator.checkIdentity(answer.identity());
        String expected = peer.nodeId();
        if (expected != null && !expected.equals(answer.identity().nodeId())) {
            throw new ConnectionException(
                    Kind.REFUSED,
                    peer.name(),
                    "it says that it is node " + answer.identity().nodeId() + ", but is configured as node " + expected
                            + ": check its url and node id");
        }
        if (answer.identity().nodeId().equals(services.self().nodeId())) {
            throw new ConnectionException(
                    Kind.REFUSED,
                    peer.name(),
                    "it is this node itself (node id " + answer.identity().nodeId()
                            + "): use its memory directly, or give each node an id of its own");
        }
        if (!answer.protocolVersions().contains(RequestValidator.PROTOCOL_VERSION)) {
            throw new ConnectionException(
                    Kind.REFUSED,
                    peer.name(),
                    "it speaks versions " + answer.protocolVersions() + " of the negotiation, not "
                            + RequestValidator.PROTOCOL_VERSION);
        }
        String provider = services.device().providerName();
        if (!answer.provider().equals(provider)) {
            throw new ConnectionException(
                    Kind.REFUSED,
                    peer.name(),
                    "it uses provider '" + answer.provider() + "', this node uses '" + provider + "'");
        }
    }

    /** Claims the right to negotiate with the node; returns a connection if another one serves. */
    private @Nullable Connection claim(NodeIdentity identity) {
        while (true) {
            Claim claim = table.claim(attempt, identity);
            FabricConnection replaced = claim.replaced();
            CompletableFuture<Connection> other = claim.join();
            if (other != null) {
                Connection joined = join(other);
                if (joined != null) {
                    return joined;
                }
            } else if (replaced == null) {
                return null;
            } else {
                if (!replaced.peer().equals(identity)) {
                    replaced.fail(restarted(replaced));
                }
                InternalWork.await(replaced.whenDown(), deadline, peer.name(), "The end of the former connection");
            }
        }
    }

    private @Nullable Connection join(CompletableFuture<Connection> other) {
        try {
            Connection joined = InternalWork.await(other, deadline, peer.name(), "The negotiation under way");
            return joined.state() == ConnectionState.UP ? joined : null;
        } catch (ConnectionException e) {
            if (deadline.hasPassed()) {
                throw e;
            }
            return null;
        }
    }

    private ConnectionException restarted(FabricConnection replaced) {
        return new ConnectionException(
                Kind.LOST,
                peer.name(),
                "Peer " + peer.name() + " restarted, so connection " + replaced.id() + " ended");
    }

    private Connection negotiate(NodeIdentity identity) {
        try {
            FabricConnection made = new FabricConnection(
                    services,
                    UUID.randomUUID().toString(),
                    true,
                    identity,
                    path,
                    1 + services.options().bulkLanes(),
                    deadline);
            connection = made;
            enter(made);
            return exchange(made);
        } catch (RuntimeException e) {
            ConnectionException failure = asFailure(e);
            undo(failure);
            if (failure.kind() == Kind.CONFLICT || attempt.hasYielded()) {
                return awaitWinner(failure);
            }
            throw failure;
        } finally {
            table.release(attempt, identity.nodeId());
        }
    }

    private void enter(FabricConnection made) {
        boolean entered = evictor.withRoom(() -> table.enter(attempt, made), deadline);
        if (!entered) {
            throw yielded();
        }
    }

    private Connection exchange(FabricConnection made) {
        made.laneSet().create(steps, services);
        ConnectRequest request = request(made);
        checkYielded();
        requested = true;
        ConnectResponse response = steps.call("POST connections", () -> {
            ConnectResponse answer = client.connect(peer, request, deadline.remaining());
            validator.checkResponse(request, answer, made.peer(), path);
            return answer;
        });
        checkYielded();
        Mtu mtu = Mtu.ofBytes(response.mtu());
        made.setMtu(mtu);
        made.laneSet().connect(steps, response.lanes(), response.path(), mtu);
        List<ZoneGrant> own = steps.call("opening landing zones", made.calls()::openZones);
        checkYielded();
        establish(made, own);
        steps.run("taking the peer's landing zones", () -> made.calls().zonesOpened(response.zones()));
        checkYielded();
        prove(made, response.zones());
        return made;
    }

    private ConnectRequest request(FabricConnection made) {
        return new ConnectRequest(
                RequestValidator.PROTOCOL_VERSION,
                made.id(),
                services.self(),
                services.device().providerName(),
                Offers.path(path, services.options(), made.laneSet().reads()),
                made.laneSet().offers());
    }

    private void establish(FabricConnection made, List<ZoneGrant> own) {
        EstablishedResponse established = steps.call(
                "POST established",
                () -> client.established(
                        peer,
                        made.id(),
                        new EstablishedRequest(services.self(), made.laneSet().stateNames(), own),
                        deadline.remaining()));
        made.laneSet()
                .setPeerStates(
                        RequestValidator.states(
                                peer.name(),
                                established.queuePairStates(),
                                made.laneSet().count()),
                        "as the peer answered to POST established");
        made.move(ConnectionState.NEGOTIATING, ConnectionState.PROBING);
    }

    /** Probe and greetings; then the connection counts. */
    private void prove(FabricConnection made, List<ZoneGrant> zones) {
        Deadline probe = deadline.within(services.options().probeTimeout());
        if (!zones.isEmpty()) {
            new PathProbe(made, zones.get(0), probe).run(steps, services);
        }
        steps.run("greeting", () -> {
            made.handshake().greet(made.laneSet().lanes(), MessageTypes.HELLO, probe);
            InternalWork.await(made.handshake().done(), deadline, peer.name(), "The answer to the greeting");
        });
        if (!table.settle(attempt, made.peer().nodeId())) {
            throw yielded();
        }
        if (!made.goUp()) {
            ConnectionException failure = made.failure();
            throw failure != null ? failure : made.lost("it ended while it was made", null);
        }
    }

    private void checkYielded() {
        if (attempt.hasYielded()) {
            throw yielded();
        }
        FabricConnection made = connection;
        ConnectionException failure = made != null ? made.failure() : null;
        if (failure != null) {
            throw failure;
        }
    }

    private ConnectionException yielded() {
        return new ConnectionException(
                Kind.CONFLICT, peer.name(), "The request of peer " + peer.name() + " to this node won");
    }

    private ConnectionException asFailure(RuntimeException e) {
        return e instanceof ConnectionException failure
                ? failure
                : new ConnectionException(
                        Kind.UNREACHABLE, peer.name(), "Connecting to " + peer.name() + " failed: " + e, null, e);
    }

    /** Takes apart what was made, and tells the peer if it may have made its part. */
    private void undo(ConnectionException failure) {
        FabricConnection made = connection;
        if (made == null) {
            return;
        }
        made.failQuietly(failure);
        Duration patience = services.options().drainTimeout();
        try {
            InternalWork.await(made.whenDown(), Deadline.in(patience), peer.name(), "Taking apart a failed connection");
        } catch (ConnectionException e) {
            failure.addSuppressed(e);
        }
        if (requested && failure.kind() != Kind.REFUSED && failure.kind() != Kind.UNKNOWN_PEER) {
            tellClosed(made, patience);
        }
    }

    /** If too many dead peers are to be told already, this one finds out by its own deadline. */
    private void tellClosed(FabricConnection made, Duration patience) {
        try {
            services.executors().farewells().execute(() -> services.peers().tellClosed(made, patience));
        } catch (RejectedExecutionException e) {
            LOG.debug("Peer {} is not told that connection {} ended", peer.name(), made.id(), e);
        }
    }

    /** The peer's own request wins: its connection is the outcome. */
    private Connection awaitWinner(ConnectionException failure) {
        try {
            return InternalWork.await(attempt.won(), deadline, peer.name(), "The request of the peer, which wins,");
        } catch (ConnectionException e) {
            e.addSuppressed(failure);
            throw e;
        }
    }
}

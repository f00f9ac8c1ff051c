package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.connection.ConnectionTable.Admission;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answering end of negotiations. Thread-safe; its calls block on the caller's thread, for a bounded time. */
final class Responder {

    private static final Logger LOG = LoggerFactory.getLogger(Responder.class);

    private static final Duration PROOF_OF_LIFE = Duration.ofSeconds(2);

    private final FabricServices services;
    private final ConnectionTable table;
    private final RequestValidator validator;
    private final List<String> memoryKinds;
    private final Evictor evictor;

    /** Answers by connection id, so that a repeated request gets the same one. */
    private final Map<String, CompletableFuture<ConnectResponse>> answers = new ConcurrentHashMap<>();

    private final Map<String, CompletableFuture<EstablishedResponse>> established = new ConcurrentHashMap<>();

    Responder(FabricServices services, ConnectionTable table, Evictor evictor, List<String> memoryKinds) {
        this.evictor = evictor;
        this.services = services;
        this.table = table;
        this.validator = new RequestValidator(services);
        this.memoryKinds = List.copyOf(memoryKinds);
    }

    NodeDescription node() {
        return new NodeDescription(
                services.self(),
                List.of(RequestValidator.PROTOCOL_VERSION),
                services.device().providerName(),
                services.device().deviceName(),
                memoryKinds);
    }

    ConnectResponse connect(ConnectRequest request) {
        validator.checkRequest(request);
        String peer = request.initiator().nodeId();
        PathDecision path =
                services.device().path(AddressFamily.of(Gid.parse(request.path().gid())));
        RequestValidator.checkPath(peer, request.path(), path);
        Deadline deadline = Deadline.in(services.options().negotiationTimeout());
        FabricConnection fresh = new FabricConnection(
                services,
                request.connectionId(),
                false,
                request.initiator(),
                path,
                request.lanes().size(),
                deadline);
        FabricConnection existing = admit(fresh);
        CompletableFuture<ConnectResponse> answer =
                answers.computeIfAbsent(fresh.id(), id -> new CompletableFuture<>());
        if (existing != null) {
            return InternalWork.await(answer, deadline, peer, "The first request of that connection");
        }
        var unused = fresh.whenDown().whenComplete((nothing, error) -> forget(fresh.id()));
        return answer(fresh, request, path, answer);
    }

    private void forget(String id) {
        answers.remove(id);
        established.remove(id);
    }

    /** Enters the connection; returns the one of that id if there is one already. */
    private @Nullable FabricConnection admit(FabricConnection fresh) {
        Deadline patience = fresh.negotiationDeadline().within(PROOF_OF_LIFE);
        Admission admission = evictor.withRoom(() -> table.admit(fresh, null), patience);
        FabricConnection alive = admission.alive();
        while (alive != null) {
            if (isAlive(alive)) {
                throw ConnectionTable.conflict(fresh.peer(), "connection " + alive.id() + " with it is up");
            }
            FabricConnection dead = alive;
            admission = evictor.withRoom(() -> table.admit(fresh, dead), patience);
            alive = admission.alive();
        }
        FabricConnection replaced = admission.replaced();
        if (replaced != null) {
            replace(replaced, fresh);
        }
        return admission.existing();
    }

    /** Asks the peer's device: it answers exactly while the peer still has its queue pair. */
    private boolean isAlive(FabricConnection connection) {
        Deadline deadline = Deadline.in(PROOF_OF_LIFE).within(services.options().negotiationTimeout());
        CompletableFuture<WorkCompletionStatus> end;
        try {
            end = InternalWork.post(
                    connection.lane(0), true, deadline, message -> message.open(MessageTypes.HEARTBEAT));
        } catch (ConnectionException e) {
            LOG.debug("Connection {} has no room for a heartbeat", connection.id(), e);
            return connection.isUp();
        }
        try {
            return InternalWork.await(end, deadline, connection.peerName(), "A heartbeat")
                    == WorkCompletionStatus.SUCCESS;
        } catch (ConnectionException e) {
            LOG.debug("Connection {} shows no life", connection.id(), e);
            return false;
        }
    }

    /** The former connection ends at once; its memory and queue pairs are waited for, so that there is room. */
    private void replace(FabricConnection replaced, FabricConnection fresh) {
        String why =
                replaced.peer().equals(fresh.peer()) ? "the peer asked for another connection" : "the peer restarted";
        ConnectionException cause = new ConnectionException(
                Kind.LOST,
                replaced.peerName(),
                "The connection to " + replaced.peerName() + " (" + replaced.id() + ") ends: " + why);
        boolean closing =
                replaced.state() == ConnectionState.DRAINING && replaced.peer().equals(fresh.peer());
        if (closing && awaitEnd(replaced, fresh)) {
            return;
        }
        if (replaced.isHalfOpen()) {
            replaced.failQuietly(cause);
        } else {
            replaced.fail(cause);
        }
        if (!awaitEnd(replaced, fresh)) {
            LOG.warn("Connection {} is not down yet; {} is made beside it", replaced.id(), fresh.id());
        }
    }

    private boolean awaitEnd(FabricConnection replaced, FabricConnection fresh) {
        Deadline deadline = fresh.negotiationDeadline().within(PROOF_OF_LIFE);
        try {
            InternalWork.await(replaced.whenDown(), deadline, replaced.peerName(), "The end of the former connection");
            return true;
        } catch (ConnectionException e) {
            LOG.debug("Connection {} lives on", replaced.id(), e);
            return false;
        }
    }

    private ConnectResponse answer(
            FabricConnection fresh,
            ConnectRequest request,
            PathDecision path,
            CompletableFuture<ConnectResponse> answer) {
        NegotiationSteps steps = new NegotiationSteps(fresh.peerName(), path);
        try {
            Mtu mtu = PathSelector.negotiateMtu(
                    Offers.mtu(path, services.options()), request.path().mtu());
            fresh.setMtu(mtu);
            fresh.laneSet()
                    .setPeerStates(
                            Collections.nCopies(request.lanes().size(), QueuePairState.INIT),
                            "when the peer sent POST connections");
            fresh.laneSet().create(steps, services);
            fresh.laneSet().connect(steps, request.lanes(), request.path(), mtu);
            List<ZoneGrant> zones = steps.call("opening landing zones", fresh.calls()::openZones);
            ConnectionException failure = fresh.failure();
            if (failure != null) {
                throw failure;
            }
            whenGreeted(fresh);
            ConnectResponse response = new ConnectResponse(
                    fresh.id(),
                    services.self(),
                    Offers.path(path, services.options(), fresh.laneSet().reads()),
                    mtu.bytes(),
                    fresh.laneSet().offers(),
                    zones);
            answer.complete(response);
            return response;
        } catch (ConnectionException e) {
            fresh.failQuietly(e);
            answer.completeExceptionally(e);
            awaitDown(fresh);
            services.observer().refused(fresh, e);
            throw e;
        }
    }

    private void awaitDown(FabricConnection fresh) {
        try {
            InternalWork.await(
                    fresh.whenDown(),
                    Deadline.in(services.options().drainTimeout()),
                    fresh.peerName(),
                    "Taking apart a failed connection");
        } catch (ConnectionException e) {
            LOG.warn("{}", e.getMessage());
        }
    }

    /** When the initiator has established and greeted on every lane, this end greets back and is UP. */
    private void whenGreeted(FabricConnection fresh) {
        var unused = fresh.handshake()
                .done()
                .thenRunAsync(() -> goUp(fresh), services.executors().callbacks());
    }

    private void goUp(FabricConnection fresh) {
        try {
            fresh.handshake().greet(fresh.laneSet().lanes(), MessageTypes.HELLO_ACK, fresh.negotiationDeadline());
            fresh.goUp();
        } catch (RuntimeException e) {
            fresh.failQuietly(fresh.lost("it could not be greeted back: " + e.getMessage(), e));
        }
    }

    EstablishedResponse established(String connectionId, EstablishedRequest request) {
        FabricConnection connection = find(connectionId);
        RequestValidator.checkOwner(connection, request.initiator());
        RequestValidator.checkEstablished(connection, request);
        CompletableFuture<EstablishedResponse> answer = new CompletableFuture<>();
        CompletableFuture<EstablishedResponse> first = established.putIfAbsent(connectionId, answer);
        if (first != null) {
            return InternalWork.await(
                    first, connection.negotiationDeadline(), connection.peerName(), "The first call of its kind");
        }
        try {
            take(connection, request);
            EstablishedResponse response =
                    new EstablishedResponse(connection.laneSet().stateNames());
            answer.complete(response);
            return response;
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
            connection.failQuietly(connection.lost("its landing zones could not be taken: " + e.getMessage(), e));
            throw e;
        }
    }

    private void take(FabricConnection connection, EstablishedRequest request) {
        LaneSet lanes = connection.laneSet();
        lanes.setPeerStates(
                RequestValidator.states(connection.peer().nodeId(), request.queuePairStates(), lanes.count()),
                "as the peer told with POST established");
        connection.calls().zonesOpened(request.zones());
        if (!connection.move(ConnectionState.NEGOTIATING, ConnectionState.PROBING)) {
            throw RequestValidator.notFound(connection.id());
        }
        connection.handshake().established();
    }

    ZoneGrant openZone(String connectionId, ZoneRequest request) {
        FabricConnection connection = find(connectionId);
        RequestValidator.checkOwner(connection, request.requester());
        RequestValidator.checkZoneRequest(connection.peer().nodeId(), request);
        awaitUp(connection);
        return connection.calls().openZone(request);
    }

    /** The initiator may be up, and ask for something, a moment before this end's handler has heard that it is. */
    private static void awaitUp(FabricConnection connection) {
        ConnectionState state = connection.state();
        if (state == ConnectionState.PROBING || state == ConnectionState.UP) {
            InternalWork.await(
                    connection.whenUp(), connection.negotiationDeadline(), connection.peerName(), "The handshake");
        }
        if (!connection.isUp()) {
            throw ConnectionTable.conflict(connection.peer(), "its connection is " + connection.state());
        }
    }

    void close(String connectionId, String nodeId) {
        FabricConnection connection = table.byId(connectionId);
        if (connection != null && connection.peer().nodeId().equals(nodeId)) {
            new OrderlyClose(connection, services).peerAsked();
        }
    }

    private FabricConnection find(String connectionId) {
        FabricConnection connection = table.byId(connectionId);
        if (connection == null) {
            throw RequestValidator.notFound(connectionId);
        }
        return connection;
    }
}

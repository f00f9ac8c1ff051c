package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.connection.PeerRecord.Start;
import io.tensorfabric.memory.MemoryRegionPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and keeps connections, one to each node at most: negotiates as initiator ({@link #connect}) and as responder
 * ({@link NegotiationHandler}), watches over them, and takes them apart. Thread-safe.
 *
 * <p>A lost connection is made anew only when somebody asks for it. After a failed negotiation, or a connection that was
 * lost before it moved anything, the next negotiation waits, from {@link ConnectionOptions#reconnectBackoff()} on twice as
 * long each time: a call in that time waits too when the negotiation may begin within
 * {@link ConnectionOptions#negotiationTimeout()}, else it fails at once with the last cause and the time to wait.
 */
public final class QueuePairConnectionManager implements NegotiationHandler {

    private static final Logger LOG = LoggerFactory.getLogger(QueuePairConnectionManager.class);

    private enum Phase {
        NEW,
        RUNNING,
        CLOSED
    }

    private final FabricServices services;
    private final NegotiationClient client;
    private final ConnectionTable table;
    private final PeerBook book;
    private final Responder responder;
    private final Evictor evictor;
    private final ConnectionFollower follower;
    private final DeviceObserver deviceObserver;
    private volatile boolean quiescing;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.NEW);

    QueuePairConnectionManager(
            NodeIdentity identity,
            FabricDevice device,
            MemoryRegionPool messagePool,
            NegotiationClient client,
            PeerDirectory directory,
            ConnectionHandler handler,
            ConnectionOptions options,
            PeerPolicy policy,
            List<String> memoryKinds) {
        RequestValidator.checkIdentity(identity);
        OptionsCheck.check(device, options);
        this.client = client;
        this.book = new PeerBook(directory, client, options);
        this.table =
                new ConnectionTable(identity, options.maxConnections(), OptionsCheck.maxQueuePairs(device, options));
        this.follower = new ConnectionFollower(device, table, book);
        this.services = new FabricServices(
                identity, device, options, messagePool, handler, FabricExecutors.create(), follower, book, policy);
        this.evictor = new Evictor(table, services);
        this.responder = new Responder(services, table, evictor, memoryKinds);
        this.deviceObserver = new DeviceFollower(device, table, book, handler);
    }

    /** Starts collecting what a manager needs. */
    public static ConnectionManagerBuilder builder() {
        return new ConnectionManagerBuilder();
    }

    /**
     * Begins to connect and to answer.
     *
     * @throws IllegalStateException if it was closed
     */
    public void start() {
        if (!phase.compareAndSet(Phase.NEW, Phase.RUNNING)) {
            if (phase.get() == Phase.CLOSED) {
                throw new IllegalStateException("A closed connection manager cannot start again");
            }
            return;
        }
        services.device().add(deviceObserver);
        Caretaker caretaker = new Caretaker(
                table, evictor, services.options(), services.executors().farewells());
        var unused = services.executors()
                .timer()
                .scheduleWithFixedDelay(caretaker, caretaker.tickNanos(), caretaker.tickNanos(), TimeUnit.NANOSECONDS);
    }

    /** Who this node is. */
    public NodeIdentity identity() {
        return services.self();
    }

    /** The device that connections run on. */
    public FabricDevice device() {
        return services.device();
    }

    /** How connections are made. */
    public ConnectionOptions options() {
        return services.options();
    }

    /** Has a listener told of changes of connections' states. */
    public void addListener(ConnectionListener listener) {
        follower.listeners().add(listener);
    }

    /** Has a listener told no more. */
    public void removeListener(ConnectionListener listener) {
        follower.listeners().remove(listener);
    }

    /**
     * The connection to a peer, made when there is none; calls at the same time share one negotiation.
     *
     * @param peerName name of a configured peer, or node id of a known one
     * @return ends with a connection that is UP, or with a {@link ConnectionException}; latest after twice the negotiation
     *     timeout and the drain timeout. Cancelling it has no effect on the negotiation. Dependents run on a thread of the
     *     fabric and must not block
     */
    public CompletableFuture<Connection> connect(String peerName) {
        if (phase.get() != Phase.RUNNING) {
            return CompletableFuture.failedFuture(closed(peerName));
        }
        Connection present = find(peerName);
        if (present != null) {
            return CompletableFuture.completedFuture(present);
        }
        Peer peer = book.find(peerName);
        if (peer == null) {
            peer = book.find(book.nameOf(peerName));
        }
        if (peer == null) {
            return CompletableFuture.failedFuture(unknown(peerName));
        }
        PeerRecord record = book.record(peer.name());
        Start start = record.start();
        if (start.mine()) {
            begin(record, start.future());
        }
        return Attempt.copy(start.future());
    }

    private static ConnectionException closed(String peerName) {
        return new ConnectionException(
                Kind.CLOSED, peerName, "No connection to " + peerName + ": this node is not running");
    }

    private ConnectionException unknown(String peerName) {
        List<String> names = book.configured().stream().map(Peer::name).toList();
        return new ConnectionException(
                Kind.UNKNOWN_PEER,
                peerName,
                "There is no peer '" + peerName + "'. Configured are " + (names.isEmpty() ? "none" : names)
                        + ", and no node of that id is connected");
    }

    private void begin(PeerRecord record, CompletableFuture<Connection> future) {
        Duration wait = record.backoff();
        if (wait.compareTo(services.options().negotiationTimeout()) > 0) {
            record.refused();
            future.completeExceptionally(backingOff(record, wait));
            return;
        }
        try {
            Runnable attempt = () -> submit(record, future);
            record.waits(attempt, services.executors().timer().schedule(attempt, wait.toNanos(), TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException e) {
            refuse(record, future, closed(record.name()));
        }
    }

    private static ConnectionException backingOff(PeerRecord record, Duration wait) {
        ConnectionException known = record.lastFailure();
        ConnectionException last = known != null
                ? known
                : new ConnectionException(Kind.UNREACHABLE, record.name(), "it is not known any more");
        return new BackoffException(last.kind(), record.name(), wait, last);
    }

    private void submit(PeerRecord record, CompletableFuture<Connection> future) {
        try {
            services.executors().negotiation().execute(() -> negotiate(record, future));
        } catch (RejectedExecutionException e) {
            refuse(
                    record,
                    future,
                    phase.get() == Phase.RUNNING
                            ? new ConnectionException(
                                    Kind.LIMIT, record.name(), "Too many negotiations at once: try again later")
                            : closed(record.name()));
        }
    }

    private static void refuse(PeerRecord record, CompletableFuture<Connection> future, ConnectionException cause) {
        record.refused();
        future.completeExceptionally(cause);
    }

    /** The directory is asked anew: the peer may have moved while this waited. */
    private void negotiate(PeerRecord record, CompletableFuture<Connection> future) {
        Peer peer = book.find(record.name());
        if (peer == null) {
            refuse(record, future, unknown(record.name()));
            return;
        }
        Initiator initiator;
        try {
            initiator = new Initiator(services, table, evictor, book, client, peer);
        } catch (RuntimeException e) {
            ConnectionException failure = new ConnectionException(
                    Kind.UNREACHABLE,
                    peer.name(),
                    "Connecting to " + peer.name() + " failed: " + e.getMessage(),
                    null,
                    e);
            record.failed(failure);
            future.completeExceptionally(failure);
            return;
        }
        record.attempted();
        var unused = initiator.attempt().outcome().whenComplete((connection, error) -> {
            if (error == null) {
                record.succeeded();
                future.complete(connection);
            } else {
                ConnectionException failure = Attempt.failure(record.name(), error);
                record.failed(failure);
                if (failure.kind() != Kind.CLOSED) {
                    follower.failures().add(initiator, record.name(), failure);
                    LOG.warn("{}", failure.getMessage());
                }
                future.completeExceptionally(failure);
            }
        });
        initiator.run();
    }

    /**
     * The connection to a peer that is UP.
     *
     * @param peerName name of a configured peer, or node id
     * @return the connection, or {@code null} if there is none
     */
    public @Nullable Connection find(String peerName) {
        FabricConnection connection = table.byNode(book.nodeIdOf(peerName));
        return connection != null && connection.isReady() ? connection : null;
    }

    /** All connections that are not DOWN. */
    public List<Connection> connections() {
        return List.copyOf(table.all());
    }

    /** All peers that are configured or known, by name. */
    public List<PeerStatus> peers() {
        Map<String, PeerRecord> records = new LinkedHashMap<>();
        book.configured().forEach(peer -> records.put(peer.name(), book.record(peer.name())));
        book.records().forEach(record -> records.putIfAbsent(record.name(), record));
        List<PeerStatus> result = new ArrayList<>();
        for (PeerRecord record : records.values()) {
            result.add(record.describe(table.byNode(book.nodeIdOf(record.name()))));
        }
        return result;
    }

    /** The latest negotiations that failed, newest first; those of peers that this end could not answer too. */
    public List<NegotiationFailure> negotiationFailures() {
        return follower.failures().latest();
    }

    /** The latest connections that ended, newest first, with the states that their queue pairs went through. */
    public List<EndedConnection> endedConnections() {
        return follower.ended().latest();
    }

    /** Connections so far that were closed to make room for others, or since nobody used them. */
    public long evictions() {
        return evictor.evictions();
    }

    /** Forgets the backoff of a peer, so that the next call negotiates at once. */
    public void resetBackoff(String peerName) {
        book.record(peerName).alive();
    }

    @Override
    public NodeDescription node() {
        return responder.node();
    }

    @Override
    public ConnectResponse connect(ConnectRequest request) {
        checkRunning();
        if (quiescing) {
            throw new ConnectionException(
                    Kind.CLOSED,
                    services.self().nodeId(),
                    "Node " + services.self().nodeId() + " is shutting down");
        }
        return responder.connect(request);
    }

    @Override
    public EstablishedResponse established(String connectionId, EstablishedRequest request) {
        checkRunning();
        return responder.established(connectionId, request);
    }

    @Override
    public ZoneGrant openZone(String connectionId, ZoneRequest request) {
        checkRunning();
        return responder.openZone(connectionId, request);
    }

    /** Blocks until what is in flight has ended, at most {@link ConnectionOptions#drainTimeout()}. */
    @Override
    public void close(String connectionId, String nodeId) {
        responder.close(connectionId, nodeId);
    }

    private void checkRunning() {
        if (phase.get() != Phase.RUNNING) {
            throw new ConnectionException(
                    Kind.CLOSED,
                    services.self().nodeId(),
                    "Node " + services.self().nodeId() + " is not running");
        }
    }

    /** The first step of an orderly end: peers that ask for a connection hear that this node shuts down; all else goes on. */
    public void quiesce() {
        quiescing = true;
    }

    /**
     * Closes the connection to a peer in order, if there is one; blocks.
     *
     * @param timeout how long it may take
     */
    public void disconnect(String peerName, Duration timeout) {
        FabricConnection connection = table.byNode(book.nodeIdOf(peerName));
        if (connection != null) {
            new OrderlyClose(connection, services).close(timeout);
        }
    }

    /**
     * Closes all connections in order, then ends the threads. What does not end in time is cut off. Closing twice is
     * harmless.
     */
    public void close(Duration timeout) {
        Phase before = phase.getAndSet(Phase.CLOSED);
        if (before == Phase.CLOSED) {
            return;
        }
        Deadline deadline = Deadline.in(timeout);
        new Shutdown(services, table).run(deadline);
        services.device().remove(deviceObserver);
        services.executors().close(Deadline.in(deadline.remaining()));
    }
}

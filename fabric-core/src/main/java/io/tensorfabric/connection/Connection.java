package io.tensorfabric.connection;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.verbs.AccessFlag;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A connection to a peer. Thread-safe. */
public interface Connection {

    /** Id chosen by the initiator, the same at both ends. */
    String id();

    /** Who is at the other end, as the negotiation told. */
    NodeIdentity peer();

    /** The configured name of the peer, or its node id when it is not configured here. */
    String peerName();

    /** What the peer may do to this node, as decided when the connection was made. */
    Set<PeerRight> rights();

    /** The present state. */
    ConnectionState state();

    /** All lanes; index 0 is the control lane. */
    List<Lane> lanes();

    /** Present state of each lane's queue pair at both ends, for Actuator. */
    List<QueuePairStatus> queuePairs();

    /** Path MTU in bytes that both ends agreed on. */
    int mtu();

    /**
     * Opens leased memory to the peer's writes, through each lane. Blocks for the device: not on a poller thread.
     *
     * @param lease memory to open; the caller keeps the lease until the grant is closed
     * @param timeout how long the device may take
     */
    default RemoteGrant grant(BufferLease lease, Duration timeout) {
        return grant(lease, Set.of(AccessFlag.REMOTE_WRITE), timeout);
    }

    /**
     * The same for reads, writes or both.
     *
     * @param remote what the peer may do there, of REMOTE_READ and REMOTE_WRITE
     */
    RemoteGrant grant(BufferLease lease, Set<AccessFlag> remote, Duration timeout);

    /**
     * Asks the peer over REST for a landing zone of its own, blocking.
     *
     * @param bytes size
     * @throws ConnectionException if the peer refuses or cannot be asked
     */
    default ZoneGrant requestZone(long bytes, Duration timeout) {
        return requestZone(bytes, null, timeout);
    }

    /**
     * The same for a zone that this node opens by itself.
     *
     * @param bytes size, 0 for a zone of many tensors
     * @param shared who opens it; {@code null} for a zone that is written through the lanes
     * @throws ConnectionException if the peer refuses or cannot be asked
     */
    ZoneGrant requestZone(long bytes, @Nullable SharedMemoryRequest shared, Duration timeout);

    /**
     * Asks the peer over REST for the right to a tensor that it published, blocking.
     *
     * @throws ConnectionException if the peer refuses or cannot be asked
     */
    ZoneGrant requestRegion(RegionRequest region, Duration timeout);

    /**
     * Takes this connection's completions on the calling thread, which spares the way to it from the thread that does so
     * otherwise, until something is so or nothing happened for as long as that thread would poll. Callbacks of other
     * connections of the device may come too.
     *
     * @param done what the caller waits for; asked often, and must be quick
     * @param nanos how long to poll at most
     * @return whether it is so
     */
    boolean pollUntil(BooleanSupplier done, long nanos);

    /**
     * Has a task run by this thread, if it is one that hands out completions now, once it has handed out all that it took
     * together; so that what needs to be done for some can be done for all at once.
     *
     * @return false, with nothing done, on any other thread
     */
    default boolean afterBatch(Runnable task) {
        return false;
    }

    /** Moves the connection to DOWN because of an error. Returns at once; {@link ConnectionHandler#down} follows. */
    void fail(ConnectionException cause);

    /** Why the connection is down; {@code null} while it is not or when it was closed in order. */
    @Nullable ConnectionException failure();
}

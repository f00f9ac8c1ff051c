package io.tensorfabric.connection;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What uses connections: the transfer layer. One per {@link QueuePairConnectionManager}.
 *
 * <p>{@link #received}, {@link #immediate} and {@link #ready} run on poller threads and must not block; the others run on
 * negotiation threads and may.
 *
 * <p>Order for one connection: {@link #openZones}, {@link #zonesOpened} (in either order), {@link #up}, then messages and
 * immediates, none of which comes before {@code up} has returned; {@link #down} after everything else has returned.
 */
public interface ConnectionHandler {

    /** Opens the initial landing zones to a new peer; its queue pairs are RTS. */
    List<ZoneGrant> openZones(Connection connection);

    /**
     * Opens a zone of its own for a large tensor.
     *
     * @throws ConnectionException if the budget does not allow it
     */
    ZoneGrant openZone(Connection connection, long bytes);

    /**
     * Opens a zone of GPU memory that the peer, on the same host, opens by itself.
     *
     * @param bytes size for one large tensor, 0 for a zone of many
     * @throws ConnectionException if there is no such memory, or the budget does not allow it
     */
    default ZoneGrant openSharedZone(Connection connection, long bytes, SharedMemoryRequest shared) {
        throw new ConnectionException(
                ConnectionException.Kind.REFUSED, connection.peerName(), "This node shares no memory with others");
    }

    /**
     * Opens a published tensor to the peer.
     *
     * @throws ConnectionException if there is none of that name, or the peer has no right to it
     */
    default ZoneGrant openRegion(Connection connection, RegionRequest region) {
        throw new ConnectionException(
                ConnectionException.Kind.NOT_PUBLISHED, connection.peerName(), "This node publishes no tensors");
    }

    /**
     * The connection ends in order: no new transfers come, and what is under way ends. What was opened of the peer's shared
     * memory is to be closed, and the peer told. Must not block.
     */
    default void closing(Connection connection) {}

    /** The peer opened landing zones to this node. */
    void zonesOpened(Connection connection, List<ZoneGrant> zones);

    /** The connection is UP. */
    void up(Connection connection);

    /**
     * A message of the transfer layer came.
     *
     * @param body little endian, from position to limit, valid until the call returns
     */
    void received(Connection connection, Lane lane, int type, ByteBuffer body);

    /** An RDMA WRITE with immediate came. */
    void immediate(Connection connection, Lane lane, int immediate, int bytes);

    /** A lane that refused {@link Lane#begin} has room or credit again. */
    void ready(Lane lane);

    /**
     * The connection is DOWN: all transmissions have ended, all grants are revoked, and the peer can no longer write.
     * Called exactly once for each connection for which {@link #openZones} was called.
     */
    void down(Connection connection);

    /**
     * This node's port carries traffic again, or has another address: peers that could not be reached may be tried at once.
     * On the device's event thread; must not block.
     */
    default void pathChanged() {}

    /**
     * Whether transfers on a connection still wait for something, such as a receipt. A close in order waits for them, for a
     * bounded time; {@link Lane#begin} works meanwhile. Must not block.
     */
    default boolean isBusy(Connection connection) {
        return false;
    }
}

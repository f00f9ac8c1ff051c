package io.tensorfabric.connection;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryRegionPool;
import java.time.Duration;

/**
 * What the connections of a manager share.
 *
 * @param self who this node is
 * @param device the device
 * @param options how connections are made
 * @param pool where messages lie
 * @param handler the user of the connections
 * @param executors threads
 * @param observer who follows the connections
 * @param peers how peers are called and reached
 * @param policy what peers may do here
 */
record FabricServices(
        NodeIdentity self,
        FabricDevice device,
        ConnectionOptions options,
        MemoryRegionPool pool,
        ConnectionHandler handler,
        FabricExecutors executors,
        Observer observer,
        Peers peers,
        PeerPolicy policy) {

    /** Follows the connections. */
    interface Observer {

        /** A connection changed its state; must not block. */
        void stateChanged(FabricConnection connection, ConnectionState from, ConnectionState to);

        /** A peer's request failed at this end. */
        void refused(FabricConnection connection, ConnectionException cause);

        /** A connection is DOWN, its handler knows, and nothing of it is left. */
        void gone(FabricConnection connection);
    }

    /** How peers are called and reached. */
    interface Peers {

        /** Configured name of a node, or its id. */
        String nameOf(String nodeId);

        /** Opens a zone at a node over REST. */
        ZoneGrant openZone(FabricConnection connection, ZoneRequest request, Duration timeout);

        /** Tells a node over REST that a connection ends, if it is known how; does not throw. */
        void tellClosed(FabricConnection connection, Duration timeout);
    }

    BufferLease lease(long bytes) {
        return pool.acquire(bytes, "connection messages");
    }
}

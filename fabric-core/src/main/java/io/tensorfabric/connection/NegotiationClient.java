package io.tensorfabric.connection;

import java.time.Duration;

/**
 * The calling end of the REST negotiation. Blocking; each call ends within its timeout. Every failure is a
 * {@link ConnectionException} whose kind mirrors the HTTP status. Thread-safe.
 */
public interface NegotiationClient {

    /** {@code GET node}. */
    NodeDescription node(Peer peer, Duration timeout);

    /** {@code POST connections}. */
    ConnectResponse connect(Peer peer, ConnectRequest request, Duration timeout);

    /** {@code POST connections/{id}/established}. */
    EstablishedResponse established(Peer peer, String connectionId, EstablishedRequest request, Duration timeout);

    /** {@code POST connections/{id}/zones}. */
    ZoneGrant openZone(Peer peer, String connectionId, ZoneRequest request, Duration timeout);

    /** {@code DELETE connections/{id}}. */
    void close(Peer peer, String connectionId, Duration timeout);
}

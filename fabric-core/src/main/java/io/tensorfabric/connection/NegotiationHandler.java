package io.tensorfabric.connection;

/**
 * The answering end of the REST negotiation: what a controller calls after it authenticated the caller. Thread-safe;
 * idempotent by connection id. Every refusal is a {@link ConnectionException}, whose kind decides the HTTP status, and
 * leaves nothing behind.
 */
public interface NegotiationHandler {

    /** {@code GET node}. */
    NodeDescription node();

    /** {@code POST connections}: makes the own queue pairs, moves them to RTS and opens landing zones. */
    ConnectResponse connect(ConnectRequest request);

    /** {@code POST connections/{id}/established}: takes the initiator's landing zones. */
    EstablishedResponse established(String connectionId, EstablishedRequest request);

    /** {@code POST connections/{id}/zones}. */
    ZoneGrant openZone(String connectionId, ZoneRequest request);

    /**
     * {@code DELETE connections/{id}}; ids of no connection with the caller are ignored.
     *
     * @param nodeId node id of the caller
     */
    void close(String connectionId, String nodeId);
}

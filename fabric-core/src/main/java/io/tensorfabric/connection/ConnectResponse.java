package io.tensorfabric.connection;

import java.util.List;

/**
 * Answer of {@code POST connections}; the responder's queue pairs are RTS.
 *
 * @param connectionId id of the connection
 * @param responder who answers
 * @param path the responder's port
 * @param mtu path MTU in bytes that both ends use
 * @param lanes the responder's lanes, as many as asked for
 * @param zones landing zones that the responder opens to the initiator
 */
public record ConnectResponse(
        String connectionId,
        NodeIdentity responder,
        PathOffer path,
        int mtu,
        List<LaneOffer> lanes,
        List<ZoneGrant> zones) {}

package io.tensorfabric.connection;

import java.util.List;

/**
 * Body of {@code POST connections}.
 *
 * @param protocolVersion version of this protocol
 * @param connectionId id of the connection, a random UUID
 * @param initiator who asks
 * @param provider name of the verbs provider
 * @param path the initiator's port
 * @param lanes the initiator's lanes
 */
public record ConnectRequest(
        int protocolVersion,
        String connectionId,
        NodeIdentity initiator,
        String provider,
        PathOffer path,
        List<LaneOffer> lanes) {}

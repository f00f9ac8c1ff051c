package io.tensorfabric.connection;

import java.util.List;

/**
 * Body of {@code POST connections/{id}/established}; the initiator's queue pairs are RTS.
 *
 * @param initiator who asks
 * @param queuePairStates state of the initiator's queue pair of each lane
 * @param zones landing zones that the initiator opens to the responder
 */
public record EstablishedRequest(NodeIdentity initiator, List<String> queuePairStates, List<ZoneGrant> zones) {}

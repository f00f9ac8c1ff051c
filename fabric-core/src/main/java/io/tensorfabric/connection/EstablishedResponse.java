package io.tensorfabric.connection;

import java.util.List;

/**
 * Answer of {@code POST connections/{id}/established}.
 *
 * @param queuePairStates state of the responder's queue pair of each lane
 */
public record EstablishedResponse(List<String> queuePairStates) {}

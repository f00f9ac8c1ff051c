package io.tensorfabric.connection;

/**
 * Body of {@code POST connections/{id}/zones}.
 *
 * @param requester who asks
 * @param bytes size of the zone
 */
public record ZoneRequest(NodeIdentity requester, long bytes) {}

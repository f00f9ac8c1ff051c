package io.tensorfabric.connection;

/**
 * Who a node is.
 *
 * @param nodeId stable id, the same over restarts and under every name and address
 * @param incarnation drawn anew at each start: another one means that the node restarted
 */
public record NodeIdentity(String nodeId, String incarnation) {}

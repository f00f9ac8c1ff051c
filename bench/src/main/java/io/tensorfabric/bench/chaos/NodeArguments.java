package io.tensorfabric.bench.chaos;

import java.util.Map;

/**
 * What a process of a node is told.
 *
 * @param node id of the node
 * @param generation which start of it, from 0
 * @param seed seed of the load
 * @param peers names and urls of the peers
 */
record NodeArguments(String node, int generation, long seed, Map<String, String> peers) {}

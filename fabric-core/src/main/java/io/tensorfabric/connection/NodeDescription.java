package io.tensorfabric.connection;

import java.util.List;

/**
 * Answer of {@code GET node}.
 *
 * @param identity who the node is
 * @param protocolVersions versions of this protocol that it speaks
 * @param provider name of its verbs provider; only equal providers can connect
 * @param device name of its device
 * @param memoryKinds kinds of memory that it offers for landing
 */
public record NodeDescription(
        NodeIdentity identity,
        List<Integer> protocolVersions,
        String provider,
        String device,
        List<String> memoryKinds) {}

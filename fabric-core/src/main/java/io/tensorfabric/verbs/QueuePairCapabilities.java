package io.tensorfabric.verbs;

/**
 * Sizes of a queue pair, {@code struct ibv_qp_cap}: as asked for, or as granted (never less).
 *
 * @param maxSendRequests outstanding send work requests
 * @param maxReceiveRequests outstanding receive work requests; ignored with a shared receive queue
 * @param maxSendElements scatter-gather elements of a send, at most {@link SendRequests#MAX_ELEMENTS}
 * @param maxReceiveElements scatter-gather elements of a receive, at most {@link ReceiveRequests#MAX_ELEMENTS}
 * @param maxInlineData bytes of an inline send
 */
public record QueuePairCapabilities(
        int maxSendRequests, int maxReceiveRequests, int maxSendElements, int maxReceiveElements, int maxInlineData) {}

package io.tensorfabric.verbs;

import org.jspecify.annotations.Nullable;

/**
 * What {@code ibv_create_qp(3)} takes.
 *
 * @param type transport
 * @param sendQueue completion queue of send work requests
 * @param receiveQueue completion queue of receives; may be the same
 * @param sharedReceiveQueue where receives come from, or {@code null} for a receive queue of its own
 * @param capabilities sizes
 * @param signalAll whether every send work request completes visibly, not only those that ask for it
 */
public record QueuePairOptions(
        QueuePairType type,
        CompletionQueue sendQueue,
        CompletionQueue receiveQueue,
        @Nullable SharedReceiveQueue sharedReceiveQueue,
        QueuePairCapabilities capabilities,
        boolean signalAll) {

    /** A reliable connected queue pair with its own receive queue and selective signalling. */
    public static QueuePairOptions reliableConnected(CompletionQueue queue, QueuePairCapabilities capabilities) {
        return new QueuePairOptions(QueuePairType.RC, queue, queue, null, capabilities, false);
    }

    /** The same with receives from a shared receive queue. */
    public QueuePairOptions withSharedReceiveQueue(SharedReceiveQueue shared) {
        return new QueuePairOptions(type, sendQueue, receiveQueue, shared, capabilities, signalAll);
    }

    /** The same with its own completion queue for receives. */
    public QueuePairOptions withReceiveQueue(CompletionQueue queue) {
        return new QueuePairOptions(type, sendQueue, queue, sharedReceiveQueue, capabilities, signalAll);
    }

    /** The same with every send work request signalled or not. */
    public QueuePairOptions withSignalAll(boolean all) {
        return new QueuePairOptions(type, sendQueue, receiveQueue, sharedReceiveQueue, capabilities, all);
    }
}

package io.tensorfabric.verbs.soft;

import static io.tensorfabric.verbs.soft.Opcodes.BIND_MW;
import static io.tensorfabric.verbs.soft.Opcodes.LOCAL_INV;
import static io.tensorfabric.verbs.soft.Opcodes.RDMA_READ;

import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * Where each send work request stands. Requests have running numbers:
 *
 * <pre>
 * freeIndex &lt;= ackIndex &lt;= sendIndex &lt;= startedIndex &lt;= tail
 *   |            |            |             first that was never begun
 *   |            |            next to send (falls back to ackIndex to send again)
 *   |            first that is not complete
 *   first whose place is taken
 * </pre>
 *
 * Guarded by the queue pair's send lock.
 */
final class SendQueue {

    private static final long NONE = -1;

    private final Pair pair;

    private final SendRing ring;

    private final boolean signalAll;

    long freeIndex;

    long ackIndex;

    long sendIndex;

    long startedIndex;

    long tail;

    /** Messages that were given a number on the wire. */
    long nextSequence;

    /** All messages up to this one have been executed by the peer. */
    long ackedSequence = NONE;

    /** READs begun whose data is not complete. */
    int readsOutstanding;

    private long blockedIndex = NONE;

    private @Nullable WorkCompletionStatus blockedStatus;

    SendQueue(Pair pair, SendRing ring, boolean signalAll) {
        this.pair = pair;
        this.ring = ring;
        this.signalAll = signalAll;
    }

    SendRing ring() {
        return ring;
    }

    boolean isFull() {
        return tail - freeIndex == ring.capacity();
    }

    /** Whether everything posted is complete. */
    boolean isIdle() {
        return ackIndex == tail;
    }

    /** Whether something was begun and is not complete. */
    boolean hasOutstanding() {
        return ackIndex < startedIndex;
    }

    static boolean isLocal(int opcode) {
        return opcode == LOCAL_INV || opcode == BIND_MW;
    }

    /** Stops before a request that failed here; it fails when its turn to complete comes. */
    void block(long index, WorkCompletionStatus status) {
        blockedIndex = index;
        blockedStatus = status;
    }

    boolean isBlocked() {
        return blockedIndex != NONE;
    }

    /** The status of the blocked request once all before it are complete. */
    @Nullable WorkCompletionStatus dueFailure() {
        return blockedIndex == ackIndex ? blockedStatus : null;
    }

    /** Completes in order what can be completed; returns whether anything was. */
    boolean retire() {
        long before = ackIndex;
        while (ackIndex < startedIndex) {
            long slot = ring.slot(ackIndex);
            int opcode = SendRing.opcode(slot);
            boolean acknowledged = !isLocal(opcode) && opcode != RDMA_READ && SendRing.sequence(slot) <= ackedSequence;
            if (!acknowledged && !SendRing.isDone(slot)) {
                break;
            }
            complete(ackIndex, WorkCompletionStatus.SUCCESS);
            ackIndex++;
        }
        sendIndex = Math.max(sendIndex, ackIndex);
        return ackIndex != before;
    }

    /** Completes the oldest request with a failure. */
    void failOldest(WorkCompletionStatus status) {
        complete(ackIndex, status);
        ackIndex++;
    }

    /** Completes everything that is left as flushed. */
    void flush() {
        while (ackIndex < tail) {
            failOldest(WorkCompletionStatus.WR_FLUSH_ERR);
        }
        blockedIndex = NONE;
        sendIndex = tail;
        startedIndex = tail;
    }

    private void complete(long index, WorkCompletionStatus status) {
        long slot = ring.slot(index);
        boolean failed = status != WorkCompletionStatus.SUCCESS;
        if (failed || signalAll || SendRing.has(slot, SendFlag.SIGNALED)) {
            int opcode = SendRing.opcode(slot);
            int bytes = isLocal(opcode) ? 0 : (int) SendRing.total(slot);
            pair.sendCompletions()
                    .push(SendRing.id(slot), status, Opcodes.completion(opcode), bytes, 0, pair.number(), 0, 0, false);
            // Places of unsignalled requests become free with a later completion, as with libibverbs.
            freeIndex = index + 1;
        }
    }

    /** Running number of the oldest message that is not complete and has this number on the wire, or -1. */
    long find(long sequence) {
        for (long index = ackIndex; index < startedIndex; index++) {
            long slot = ring.slot(index);
            if (!isLocal(SendRing.opcode(slot)) && SendRing.sequence(slot) == sequence) {
                return index;
            }
        }
        return NONE;
    }

    /** Forgets everything without completions. */
    void clear() {
        freeIndex = 0;
        ackIndex = 0;
        sendIndex = 0;
        startedIndex = 0;
        tail = 0;
        nextSequence = 0;
        ackedSequence = NONE;
        readsOutstanding = 0;
        blockedIndex = NONE;
        blockedStatus = null;
    }
}

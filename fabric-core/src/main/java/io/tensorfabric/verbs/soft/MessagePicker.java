package io.tensorfabric.verbs.soft;

import static io.tensorfabric.verbs.soft.Opcodes.BIND_MW;
import static io.tensorfabric.verbs.soft.Opcodes.RDMA_READ;

import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what the requester sends next, after the rules of order: fences, the limit of READs, drained queues; checks
 * local memory, and executes operations that do not go on the wire. Guarded by the queue pair's send lock.
 */
final class MessagePicker {

    private final Pair pair;

    private final Requester requester;

    private final SendQueue queue;

    private final SendRing ring;

    private final MemoryAccess access;

    private final RetryClock clock;

    MessagePicker(Pair pair, Requester requester, SendQueue queue, MemoryAccess access, RetryClock clock) {
        this.pair = pair;
        this.requester = requester;
        this.queue = queue;
        this.ring = queue.ring();
        this.access = access;
        this.clock = clock;
    }

    /**
     * Moves the queue's send index to the next message that is to go on the wire now, executing local operations on the
     * way; {@code false} when there is none.
     */
    boolean next() {
        while (queue.sendIndex < queue.tail && !queue.isBlocked() && !clock.isReceiverWaiting()) {
            long slot = ring.slot(queue.sendIndex);
            int opcode = SendRing.opcode(slot);
            boolean fresh = queue.sendIndex >= queue.startedIndex;
            if (!fresh && isSettled(slot, opcode)) {
                queue.sendIndex++;
            } else if (!SendQueue.isLocal(opcode) && !requester.isUp()) {
                return false;
            } else if (fresh && !mayBegin(slot, opcode)) {
                return false;
            } else if (SendQueue.isLocal(opcode)) {
                runLocal(slot, opcode);
            } else {
                if (fresh) {
                    begin(slot, opcode);
                }
                return true;
            }
        }
        return false;
    }

    private boolean isSettled(long slot, int opcode) {
        boolean acknowledged =
                !SendQueue.isLocal(opcode) && opcode != RDMA_READ && SendRing.sequence(slot) <= queue.ackedSequence;
        return acknowledged || SendRing.isDone(slot);
    }

    private boolean mayBegin(long slot, int opcode) {
        if (pair.state() == QueuePairState.SQD) {
            return false;
        }
        long notBefore = SendRing.notBefore(slot);
        if (notBefore != 0 && notBefore - System.nanoTime() > 0) {
            requester.pumpAt(notBefore);
            return false;
        }
        boolean fenced = SendRing.has(slot, SendFlag.FENCE) && queue.readsOutstanding > 0;
        boolean full =
                opcode == RDMA_READ && queue.readsOutstanding >= pair.config().readsAsInitiator();
        if (fenced || full) {
            return false;
        }
        WorkCompletionStatus fault = pair.engine().faults().takeWorkFault();
        WorkCompletionStatus problem = fault != null ? fault : localProblem(slot, opcode);
        if (problem != null) {
            queue.block(queue.sendIndex, problem);
            return false;
        }
        return true;
    }

    private @Nullable WorkCompletionStatus localProblem(long slot, int opcode) {
        if (SendQueue.isLocal(opcode)) {
            return null;
        }
        if (SendRing.total(slot) > Wire.MAX_MESSAGE) {
            return WorkCompletionStatus.LOC_LEN_ERR;
        }
        boolean permitted = SendRing.isInline(slot)
                || access.permitsLocal(
                        SendRing.elements(slot),
                        SendRing.elementCount(slot),
                        pair.domain(),
                        pair,
                        opcode == RDMA_READ ? Rights.LOCAL_WRITE : 0);
        return permitted ? null : WorkCompletionStatus.LOC_PROT_ERR;
    }

    private void runLocal(long slot, int opcode) {
        boolean done = opcode == BIND_MW ? pair.bind(slot) : pair.invalidate(SendRing.rkey(slot));
        if (done) {
            SendRing.markDone(slot);
            queue.sendIndex++;
            queue.startedIndex = queue.sendIndex;
        } else {
            // The statuses of rxe_do_local_ops in rxe_req.c.
            queue.block(
                    queue.sendIndex,
                    opcode == BIND_MW ? WorkCompletionStatus.MW_BIND_ERR : WorkCompletionStatus.LOC_QP_OP_ERR);
        }
    }

    private void begin(long slot, int opcode) {
        SendRing.sequence(slot, queue.nextSequence++);
        queue.startedIndex = queue.sendIndex + 1;
        if (opcode == RDMA_READ) {
            queue.readsOutstanding++;
        }
    }
}

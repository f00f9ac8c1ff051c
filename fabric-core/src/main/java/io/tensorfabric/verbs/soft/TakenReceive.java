package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.WorkCompletionOpcode;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.WorkCompletions;

/**
 * The receive that the present message of a responder has taken, if any; kept when the connection breaks in the middle.
 * Guarded by the queue pair's receive lock.
 */
final class TakenReceive {

    private final Pair pair;

    private final long request = OffHeap.allocate(ReceiveRequests.STRIDE, 64);

    private boolean taken;

    TakenReceive(Pair pair) {
        this.pair = pair;
    }

    boolean isTaken() {
        return taken;
    }

    /** Takes the next one unless there is one already; {@code false} if none is posted. */
    boolean take() {
        if (!taken) {
            taken = pair.receives().take(request);
        }
        return taken;
    }

    void forget() {
        taken = false;
    }

    long elements() {
        return request + ReceiveRequests.OFFSET_ELEMENTS;
    }

    int elementCount() {
        return OffHeap.getInt(request + ReceiveRequests.OFFSET_ELEMENT_COUNT);
    }

    /** Completes it with a message of this type, as far as that has come. */
    void complete(WorkCompletionStatus status, byte type, long total, int immediate, boolean solicited) {
        int flags = switch (type) {
            case Wire.WRITE_IMM, Wire.SEND_IMM -> WorkCompletions.FLAG_WITH_IMMEDIATE;
            case Wire.SEND_INV -> WorkCompletions.FLAG_WITH_INVALIDATE;
            default -> 0;
        };
        WorkCompletionOpcode opcode =
                type == Wire.WRITE_IMM ? WorkCompletionOpcode.RECV_RDMA_WITH_IMM : WorkCompletionOpcode.RECV;
        taken = false;
        pair.receiveCompletions()
                .push(
                        OffHeap.getLong(request + ReceiveRequests.OFFSET_ID),
                        status,
                        opcode.code(),
                        (int) total,
                        flags == 0 ? 0 : immediate,
                        pair.number(),
                        pair.config().destination(),
                        flags,
                        solicited);
    }

    void free() {
        OffHeap.free(request);
    }
}

package io.tensorfabric.verbs.soft;

import static io.tensorfabric.verbs.soft.Opcodes.RDMA_READ;

import io.tensorfabric.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Understands what the responder answers, and puts READ data in place. Guarded by the queue pair's send lock. */
final class AnswerReader implements FrameReader.Sink {

    private final SendQueue queue;

    private final MemoryAccess access;

    private final Sharing sharing;

    private @Nullable WorkCompletionStatus refusal;

    private long notReadyIndex = -1;

    private int receiverTimer;

    private long readSlot;

    private long readOffset;

    private boolean readData;

    private boolean readLast;

    private boolean change;

    AnswerReader(SendQueue queue, MemoryAccess access, Sharing sharing) {
        this.queue = queue;
        this.access = access;
        this.sharing = sharing;
    }

    @Override
    public boolean mayRead() {
        return refusal == null && notReadyIndex < 0;
    }

    @Override
    public int header(ByteBuffer in) throws IOException {
        byte type = in.get();
        byte code = in.get();
        byte flags = in.get();
        in.get();
        int length = in.getInt();
        long sequence = in.getLong();
        long offset = in.getLong();
        readData = false;
        if (type == Wire.SHARED) {
            sharing.answered(sequence, code == 1);
            return 0;
        }
        if (type == Wire.PROGRESS) {
            return 0;
        }
        if (type == Wire.RING_ANSWERS) {
            sharing.usedRings();
            change = true;
            return 0;
        }
        if (sequence < 0 || sequence >= queue.nextSequence || (length != 0 && type != Wire.READ_DATA)) {
            throw new Wire.ProtocolException("An answer does not fit what was asked");
        }
        switch (type) {
            case Wire.ACK -> acknowledge(sequence);
            case Wire.NAK -> {
                acknowledge(sequence - 1);
                refuse(sequence, status(code));
            }
            case Wire.RNR -> {
                acknowledge(sequence - 1);
                notReadyIndex = queue.find(sequence);
                receiverTimer = code;
            }
            case Wire.READ_DATA -> beginReadData(sequence, offset, length, flags);
            default -> throw new Wire.ProtocolException("An answer has the unknown type " + type);
        }
        return length;
    }

    private void acknowledge(long sequence) {
        queue.ackedSequence = Math.max(queue.ackedSequence, sequence);
    }

    private void refuse(long sequence, WorkCompletionStatus status) throws IOException {
        queue.retire();
        long index = queue.find(sequence);
        if (index != queue.ackIndex) {
            throw new Wire.ProtocolException("A message was refused out of order");
        }
        refusal = status;
    }

    private static WorkCompletionStatus status(byte code) throws IOException {
        return switch (code) {
            case Wire.NAK_INVALID_REQUEST -> WorkCompletionStatus.REM_INV_REQ_ERR;
            case Wire.NAK_REMOTE_ACCESS -> WorkCompletionStatus.REM_ACCESS_ERR;
            case Wire.NAK_REMOTE_OPERATION -> WorkCompletionStatus.REM_OP_ERR;
            default -> throw new Wire.ProtocolException("A refusal has the unknown code " + code);
        };
    }

    private void beginReadData(long sequence, long offset, int length, byte flags) throws IOException {
        long index = queue.find(sequence);
        if (index < 0) {
            throw new Wire.ProtocolException("Data came for a READ that is not outstanding");
        }
        long slot = queue.ring().slot(index);
        boolean last = (flags & Wire.FLAG_LAST) != 0;
        boolean fits = SendRing.opcode(slot) == RDMA_READ
                && !SendRing.isDone(slot)
                && offset == readOffset
                && length >= 0
                && length <= Wire.SEGMENT
                && (last ? offset + length == SendRing.total(slot) : offset + length < SendRing.total(slot));
        if (!fits) {
            throw new Wire.ProtocolException("READ data does not fit what was asked");
        }
        acknowledge(sequence - 1);
        readSlot = slot;
        readData = true;
        readLast = last;
    }

    @Override
    public int headerBytes(ByteBuffer in) {
        return Wire.RESPONSE_HEADER;
    }

    @Override
    public int takeCopied() {
        return 0;
    }

    @Override
    public boolean takeChange() {
        boolean now = change;
        change = false;
        return now;
    }

    @Override
    public boolean open(int length) {
        if (refusal != null) {
            return false;
        }
        boolean opened = access.openLocal(
                SendRing.elements(readSlot), SendRing.elementCount(readSlot), readOffset, length, false);
        if (!opened) {
            // The region was closed under the READ; what follows on this connection no longer matters.
            refusal = WorkCompletionStatus.LOC_PROT_ERR;
        }
        return opened;
    }

    @Override
    public void memoryGone() {
        refusal = WorkCompletionStatus.LOC_PROT_ERR;
    }

    @Override
    public void landed(int bytes) {
        readOffset += bytes;
    }

    @Override
    public void frameDone() {
        if (readData && readLast) {
            acknowledge(SendRing.sequence(readSlot));
            SendRing.markDone(readSlot);
            queue.readsOutstanding--;
            readOffset = 0;
        }
    }

    /** Status with which the oldest request fails, once. */
    @Nullable WorkCompletionStatus takeRefusal() {
        WorkCompletionStatus status = refusal;
        refusal = null;
        return status;
    }

    /** Running number of the message to send again after a wait, once; -1 for none. */
    long takeReceiverNotReady() {
        long index = notReadyIndex;
        notReadyIndex = -1;
        return index;
    }

    int receiverTimer() {
        return receiverTimer;
    }

    void reset() {
        refusal = null;
        notReadyIndex = -1;
        readOffset = 0;
        readData = false;
        change = false;
    }
}

package io.tensorfabric.verbs.soft;

import static io.tensorfabric.verbs.soft.Opcodes.RDMA_READ;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.offheap.SharedBlock;
import io.tensorfabric.verbs.SendFlag;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Turns send work requests into frames and writes them: small payloads are copied behind their headers so that many go
 * in one call, larger ones are written straight from the user's memory. Guarded by the queue pair's send lock.
 */
final class Transmitter {

    /** What a run came to. */
    enum Outcome {
        /** Nothing more can be sent now. */
        IDLE,
        /** The socket takes no more. */
        FULL,
        /** The turn is over and there is more. */
        MORE
    }

    /** Payloads up to this size are copied. */
    private static final int SMALL = 4096;

    private static final int STAGING = 64 * 1024;

    private final MessagePicker picker;

    private final SendGate gate;

    private final SendQueue queue;

    private final SendRing ring;

    private final MemoryAccess access;

    private final Sharing sharing;

    private final long memory = OffHeap.allocate(STAGING, 64);

    /** Frames, or headers only, ready to be written; filled up to its position. */
    private final ByteBuffer staging = OffHeap.asByteBuffer(memory, STAGING).order(ByteOrder.BIG_ENDIAN);

    private boolean continuing;

    private long messageTotal;

    private long messageOffset;

    private long payloadIndex;

    private long payloadOffset;

    private int payloadLeft;

    private boolean progressed;

    /** The rings by which requests go once what is staged has left. */
    private @Nullable RingPair change;

    Transmitter(MessagePicker picker, SendGate gate, SendQueue queue, MemoryAccess access, Sharing sharing) {
        this.picker = picker;
        this.gate = gate;
        this.queue = queue;
        this.ring = queue.ring();
        this.access = access;
        this.sharing = sharing;
    }

    /** Sends about {@code budget} bytes at most. */
    Outcome run(FramePath path, long budget) throws IOException {
        try {
            return send(path, budget);
        } catch (InternalError ex) {
            if (MemoryFaults.isCause(ex)) {
                throw new LocalMemoryGone(queue.sendIndex);
            }
            throw ex;
        }
    }

    private Outcome send(FramePath path, long budget) throws IOException {
        progressed = false;
        long left = budget;
        while (true) {
            while (payloadLeft == 0
                    && change == null
                    && staging.remaining() >= Wire.REQUEST_HEADER + SMALL
                    && stageFrame()) {
                // Collect as many small frames as fit.
            }
            int pending = staging.position() + payloadLeft;
            if (pending == 0) {
                return Outcome.IDLE;
            }
            int written = write(path.output());
            progressed |= written > 0;
            left -= written;
            if (written < pending) {
                return Outcome.FULL;
            }
            RingPair rings = change;
            if (rings != null) {
                change = null;
                path.writeTo(rings.requests());
            }
            if (left <= 0) {
                return Outcome.MORE;
            }
        }
    }

    /** Whether the last run wrote anything. */
    boolean progressed() {
        return progressed;
    }

    private int write(GatheringByteChannel channel) throws IOException {
        staging.flip();
        try {
            if (payloadLeft == 0) {
                return channel.write(staging);
            }
            int headers = staging.remaining();
            long slot = ring.slot(payloadIndex);
            if (!open(slot, payloadOffset, payloadLeft)) {
                // Part of the message may be on the wire already: only a new connection could go on.
                throw new LocalMemoryGone(payloadIndex);
            }
            try {
                int written = writeGathered(channel);
                int payload = Math.max(0, written - headers);
                payloadOffset += payload;
                payloadLeft -= payload;
                return written;
            } finally {
                access.release();
            }
        } finally {
            staging.compact();
        }
    }

    private int writeGathered(GatheringByteChannel channel) throws IOException {
        try {
            return (int) channel.write(access.gatherAfter(staging), 0, access.count() + 1);
        } catch (IOException ex) {
            throw MemoryFaults.isCause(ex) ? new LocalMemoryGone(payloadIndex) : ex;
        }
    }

    private boolean open(long slot, long offset, int length) {
        return access.openLocal(
                SendRing.elements(slot), SendRing.elementCount(slot), offset, length, SendRing.isInline(slot));
    }

    /** Puts the next frame into the staging buffer, or its header, with the payload to follow from memory. */
    private boolean stageFrame() throws IOException {
        if (!continuing && !beginMessage()) {
            return false;
        }
        int length = (int) Math.min(messageTotal - messageOffset, gate.segment(Wire.SEGMENT));
        if (!gate.admits(length)) {
            return false;
        }
        long index = queue.sendIndex;
        long slot = ring.slot(index);
        if (length == 0) {
            putHeader(slot, 0, 0);
        } else {
            if (!open(slot, messageOffset, length)) {
                throw new LocalMemoryGone(index);
            }
            try {
                stagePayload(index, slot, length);
            } finally {
                access.release();
            }
        }
        messageOffset += length;
        continuing = messageOffset < messageTotal;
        if (!continuing) {
            queue.sendIndex = index + 1;
        }
        return true;
    }

    /** What goes with the next frame, whose bytes are open: a copy of them, a word of where they are, or themselves. */
    private void stagePayload(long index, long slot, int length) {
        SharedBlock block = access.sharedBlock();
        if (block != null) {
            sharing.payloadGoes();
        }
        if (length <= SMALL) {
            putHeader(slot, length, 0);
            access.drainTo(staging);
            return;
        }
        int number = block == null ? -1 : sharing.numberOf(block);
        if (block != null && number >= 0) {
            putHeader(slot, length, Wire.FLAG_SHARED);
            staging.putInt(number).putInt(0).putLong(block.offsetOf(access.start()));
            return;
        }
        putHeader(slot, length, 0);
        payloadIndex = index;
        payloadOffset = messageOffset;
        payloadLeft = length;
    }

    private boolean beginMessage() {
        sharing.stageAnnouncements(staging);
        change = sharing.takeRings();
        if (change != null) {
            staging.put(Wire.RING).put(new byte[Wire.REQUEST_HEADER - 1]);
            return false;
        }
        while (picker.next()) {
            long slot = ring.slot(queue.sendIndex);
            messageOffset = 0;
            messageTotal = SendRing.opcode(slot) == RDMA_READ ? 0 : SendRing.total(slot);
            if (!gate.drops()) {
                return true;
            }
            queue.sendIndex++;
        }
        return false;
    }

    private void putHeader(long slot, int length, int flags) {
        int opcode = SendRing.opcode(slot);
        boolean solicited = SendRing.has(slot, SendFlag.SOLICITED);
        staging.put(continuing ? Wire.CONTINUE : Opcodes.frame(opcode))
                .put((byte) (solicited ? flags | Wire.FLAG_SOLICITED : flags))
                .putShort((short) 0)
                .putInt(SendRing.immediate(slot))
                .putLong(SendRing.sequence(slot))
                .putLong(continuing ? messageOffset : SendRing.remoteAddress(slot))
                .putInt(SendRing.rkey(slot))
                .putInt(length)
                .putLong(SendRing.total(slot));
    }

    /** Ends the message under way after its present frame: it will be sent again from its beginning. */
    void abandonMessage() {
        continuing = false;
    }

    /** Forgets everything of an old connection. */
    void reset() {
        continuing = false;
        payloadLeft = 0;
        change = null;
        access.release();
        staging.clear();
    }

    void free() {
        OffHeap.free(memory);
    }

    /** The region of a message under way was closed. */
    static final class LocalMemoryGone extends IOException {

        private static final long serialVersionUID = 1L;

        private final long index;

        LocalMemoryGone(long index) {
            super("A memory region was closed while it was being sent");
            this.index = index;
        }

        long index() {
            return index;
        }
    }
}

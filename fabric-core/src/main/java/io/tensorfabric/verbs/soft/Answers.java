package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What a responder has to say: READ data, then the acknowledgement of all that was executed, then a refusal. Kept in
 * the order of the messages. Guarded by the queue pair's receive lock.
 */
final class Answers {

    private static final int STAGING = 1024;

    private final Pair pair;

    private final MemoryAccess access;

    private final long memory = OffHeap.allocate(STAGING, 64);

    private final ByteBuffer staging = OffHeap.asByteBuffer(memory, STAGING).order(ByteOrder.BIG_ENDIAN);

    private final ArrayDeque<PendingRead> reads = new ArrayDeque<>();

    private int chunkLeft;

    private boolean acknowledge;

    private long acknowledged;

    private final ArrayDeque<Integer> announced = new ArrayDeque<>();

    private boolean progress;

    /** The ring by which answers go once it was said that they do. */
    private @Nullable ByteRing announcedRing;

    private @Nullable ByteRing change;

    private byte refusalType;

    private byte refusalCode;

    private long refusalSequence;

    private long ackNotBefore;

    /** A READ that is being answered. */
    private static final class PendingRead {

        private final long sequence;
        private final @Nullable Grant grant;
        private final long address;
        private final long total;
        private long offset;

        PendingRead(long sequence, @Nullable Grant grant, long address, long total) {
            this.sequence = sequence;
            this.grant = grant;
            this.address = address;
            this.total = total;
        }
    }

    Answers(Pair pair) {
        this.pair = pair;
        this.access = new MemoryAccess(pair.engine().keys());
    }

    /** Everything up to this message is executed. */
    void acknowledge(long sequence) {
        if (!acknowledge) {
            long delay = ackDelay();
            ackNotBefore = delay == 0 ? 0 : System.nanoTime() + delay;
        }
        acknowledge = true;
        progress = false;
        acknowledged = sequence;
    }

    /** A block of shared memory was announced. */
    void shared(int number, boolean opened) {
        announced.add(opened ? number : ~number);
    }

    /** Answers are to go by a ring from now on. */
    void changeTo(ByteRing ring) {
        announcedRing = ring;
    }

    /** Part of a long message was copied from shared memory: its requester need not think that nobody is there. */
    void progress() {
        progress = true;
    }

    void refuse(long sequence, byte code) {
        refusalType = Wire.NAK;
        refusalCode = code;
        refusalSequence = sequence;
    }

    void receiverNotReady(long sequence, int timer) {
        refusalType = Wire.RNR;
        refusalCode = (byte) timer;
        refusalSequence = sequence;
    }

    /** Answers a READ; the grant is {@code null} only for no bytes. */
    void read(long sequence, @Nullable Grant grant, long address, long total) {
        reads.add(new PendingRead(sequence, grant, address, total));
    }

    int pendingReads() {
        return reads.size();
    }

    /** Writes what there is; returns {@code false} when the socket takes no more for now. */
    boolean flush(FramePath path) throws IOException {
        long left = Wire.SEGMENT;
        while (true) {
            if (staging.position() == 0 && chunkLeft == 0 && !stage()) {
                return true;
            }
            int pending = staging.position() + chunkLeft;
            int written = write(path.output());
            ByteRing ring = change;
            if (ring != null && written == pending) {
                change = null;
                path.writeTo(ring);
            }
            left -= written;
            if (written < pending || left <= 0) {
                return false;
            }
        }
    }

    private boolean stage() {
        if (isHeldBack()) {
            return false;
        }
        PendingRead read = reads.peek();
        ByteRing ring = announcedRing;
        if (ring != null) {
            announcedRing = null;
            change = ring;
            put(Wire.RING_ANSWERS, (byte) 0, (byte) 0, 0, 0, 0);
            return true;
        }
        Integer number = announced.poll();
        if (number != null) {
            boolean opened = number >= 0;
            put(Wire.SHARED, (byte) (opened ? 1 : 0), (byte) 0, 0, opened ? number : ~number, 0);
        } else if (progress) {
            progress = false;
            put(Wire.PROGRESS, (byte) 0, (byte) 0, 0, 0, 0);
        } else if (read != null) {
            stageData(read);
        } else if (acknowledge) {
            acknowledge = false;
            if (!dropsAck()) {
                put(Wire.ACK, (byte) 0, (byte) 0, 0, acknowledged, 0);
            }
        } else if (refusalType != 0) {
            put(refusalType, refusalCode, (byte) 0, 0, refusalSequence, 0);
            refusalType = 0;
        } else {
            return false;
        }
        return true;
    }

    private void stageData(PendingRead read) {
        int length = (int) Math.min(Wire.SEGMENT, read.total - read.offset);
        boolean last = read.offset + length == read.total;
        put(Wire.READ_DATA, (byte) 0, last ? Wire.FLAG_LAST : 0, length, read.sequence, read.offset);
        chunkLeft = length;
        if (length == 0) {
            reads.remove();
        }
    }

    private void put(byte type, byte code, byte flags, int length, long sequence, long offset) {
        staging.put(type)
                .put(code)
                .put(flags)
                .put((byte) 0)
                .putInt(length)
                .putLong(sequence)
                .putLong(offset);
    }

    private int write(GatheringByteChannel channel) throws IOException {
        staging.flip();
        try {
            return chunkLeft == 0 ? channel.write(staging) : writeData(channel);
        } finally {
            staging.compact();
        }
    }

    private int writeData(GatheringByteChannel channel) throws IOException {
        PendingRead read = reads.element();
        Grant grant = read.grant;
        if (grant == null || !access.openRemote(grant, read.address + read.offset, chunkLeft)) {
            throw new Wire.ProtocolException("A memory region was closed while it was being read");
        }
        try {
            int header = staging.remaining();
            int written = (int) channel.write(access.gatherAfter(staging), 0, access.count() + 1);
            int data = Math.max(0, written - header);
            read.offset += data;
            chunkLeft -= data;
            if (read.offset == read.total) {
                reads.remove();
            }
            return written;
        } finally {
            access.release();
        }
    }

    /**
     * Says what is ready to be said as the connection's last words: in its ring, if answers go there. The rest is for its
     * socket, and returned.
     */
    byte[] farewell(Link link) throws IOException {
        announcedRing = null;
        ByteRing ring = change;
        if (ring != null && staging.position() > 0) {
            byte[] untilChange = take();
            new RingOutput(ring, () -> {}).writeLast(ByteBuffer.wrap(unsent()));
            return untilChange;
        }
        byte[] rest = unsent();
        return link.rings().writeLast(rest) ? new byte[0] : rest;
    }

    private byte[] take() {
        byte[] bytes = new byte[staging.position()];
        staging.flip().get(bytes);
        staging.clear();
        return bytes;
    }

    /** What is ready to leave but for the socket, when it ends with a whole frame. */
    private byte[] unsent() {
        if (chunkLeft > 0 || !reads.isEmpty()) {
            return new byte[0];
        }
        while (staging.remaining() >= Wire.RESPONSE_HEADER && stage()) {
            // The acknowledgement and the refusal.
        }
        return take();
    }

    void reset() {
        staging.clear();
        reads.clear();
        announced.clear();
        chunkLeft = 0;
        announcedRing = null;
        change = null;
        progress = false;
        acknowledge = false;
        refusalType = 0;
    }

    private boolean isHeldBack() {
        SoftTrafficFaults own = pair.engine().faults().trafficOf(pair.number());
        if (pair.engine().faults().traffic().acksStalled() || (own != null && own.acksStalled())) {
            return true;
        }
        if (ackNotBefore != 0 && acknowledge && ackNotBefore - System.nanoTime() > 0) {
            pair.loop().schedule(ackNotBefore, pair.responder()::resume);
            return true;
        }
        return false;
    }

    private long ackDelay() {
        SoftTrafficFaults own = pair.engine().faults().trafficOf(pair.number());
        long common = pair.engine().faults().traffic().ackDelayNanos();
        return own == null ? common : Math.max(common, own.ackDelayNanos());
    }

    private boolean dropsAck() {
        SoftTrafficFaults own = pair.engine().faults().trafficOf(pair.number());
        return pair.engine().faults().traffic().takeAckDrop() || (own != null && own.takeAckDrop());
    }

    void free() {
        OffHeap.free(memory);
    }
}

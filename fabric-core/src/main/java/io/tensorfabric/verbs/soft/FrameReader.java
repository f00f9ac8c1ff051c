package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ScatteringByteChannel;

/**
 * Cuts a stream into frames of a header and a payload. What follows a header in the same packet is copied from a small
 * buffer; the rest of a payload is read straight into its place. Not thread-safe.
 */
final class FrameReader {

    private static final int BUFFER = 32 * 1024;

    private final int headerBytes;

    private final MemoryAccess access;

    private final Sink sink;

    private final long memory = OffHeap.allocate(BUFFER, 64);

    /** Ready for taking bytes out between calls. */
    private final ByteBuffer in =
            OffHeap.asByteBuffer(memory, BUFFER).order(ByteOrder.BIG_ENDIAN).limit(0);

    /** Bytes of the present payload that are still to come. */
    private int left;

    private boolean abandoned;

    private boolean changed;

    private boolean tookSome;

    /** Whether the last call ended since it had copied enough, with frames left in the buffer or perhaps where they come from. */
    private boolean yielded;

    /** Who understands the frames. */
    interface Sink {

        /** How long the header is that begins at the buffer's position, of which the common part is there. */
        int headerBytes(ByteBuffer in);

        /** Takes a header from the buffer; returns the bytes of payload that follow it. */
        int header(ByteBuffer in) throws IOException;

        /** Opens the place of the next payload bytes in the access; {@code false} to throw them away. */
        boolean open(int length);

        /** So many payload bytes are in place, or thrown away. */
        void landed(int bytes);

        /** The payload is complete. */
        void frameDone() throws IOException;

        /** The opened memory is not there; from now on payload is thrown away. */
        void memoryGone();

        /** Bytes that were copied from elsewhere since the last call. */
        int takeCopied();

        /** Whether more can be taken now. */
        boolean mayRead();

        /** Whether the last frame says that the next comes another way. */
        boolean takeChange();
    }

    FrameReader(int headerBytes, MemoryAccess access, Sink sink) {
        this.headerBytes = headerBytes;
        this.access = access;
        this.sink = sink;
    }

    /** Understands nothing any more and throws all away, after a failure in the middle of a frame. */
    void abandon() {
        abandoned = true;
    }

    /** Forgets everything of an old connection. */
    void reset() {
        abandoned = false;
        yielded = false;
        changed = false;
        access.release();
        in.clear().limit(0);
        left = 0;
    }

    void free() {
        OffHeap.free(memory);
    }

    /**
     * Reads what there is, about {@code budget} bytes at most.
     *
     * @return {@code false} when the peer has closed the stream
     */
    boolean read(ScatteringByteChannel channel, long budget) throws IOException {
        long taken = 0;
        long copied = 0;
        yielded = false;
        if (abandoned) {
            in.clear();
            int got = channel.read(in);
            in.clear().limit(0);
            return got >= 0;
        }
        while ((taken < budget || hasBuffered()) && sink.mayRead()) {
            int got;
            if (left > 0) {
                got = in.hasRemaining() ? consumeBuffered() : readPayload(channel);
                if (got > 0 && left == 0) {
                    sink.frameDone();
                }
            } else if (hasBuffered()) {
                int before = in.remaining();
                left = sink.header(in);
                got = before - in.remaining();
                copied += sink.takeCopied();
                if (left == 0) {
                    sink.frameDone();
                }
                if (sink.takeChange()) {
                    in.clear().limit(0);
                    changed = true;
                    return true;
                }
                if (copied >= budget) {
                    yielded = true;
                    return true;
                }
            } else {
                got = fill(channel);
            }
            if (got <= 0) {
                return got == 0;
            }
            taken += got;
            tookSome = true;
        }
        return true;
    }

    private boolean hasBuffered() {
        return left > 0 ? in.hasRemaining() : in.remaining() >= headerBytes && in.remaining() >= sink.headerBytes(in);
    }

    /** Whether bytes came since the last question. */
    boolean takeProgress() {
        boolean now = tookSome;
        tookSome = false;
        return now;
    }

    /** Whether the last call ended since further frames come another way, by which it is to be called again; once. */
    boolean takeChange() {
        boolean now = changed;
        changed = false;
        return now;
    }

    /** Whether it must be called again although nothing more may come. */
    boolean hasYielded() {
        return yielded;
    }

    private int fill(ScatteringByteChannel channel) throws IOException {
        in.compact();
        try {
            return channel.read(in);
        } finally {
            in.flip();
        }
    }

    private int consumeBuffered() {
        int part = Math.min(left, in.remaining());
        int end = in.limit();
        in.limit(in.position() + part);
        if (sink.open(part)) {
            try {
                access.fillFrom(in);
            } finally {
                access.release();
            }
        }
        in.position(in.limit()).limit(end);
        land(part);
        return part;
    }

    private int readPayload(ScatteringByteChannel channel) throws IOException {
        int part = Math.min(left, Wire.SEGMENT);
        return sink.open(part) ? readInPlace(channel) : readAway(channel, part);
    }

    private int readInPlace(ScatteringByteChannel channel) throws IOException {
        int before = access.remaining();
        in.clear();
        int landed;
        int got;
        try {
            // The next header mostly follows at once: one call brings both.
            got = (int) channel.read(access.scatterBefore(in), 1, access.count() + 1);
            landed = before - access.remaining();
        } catch (IOException ex) {
            if (!MemoryFaults.isCause(ex)) {
                throw ex;
            }
            sink.memoryGone();
            return 1;
        } finally {
            in.flip();
            access.release();
        }
        land(landed);
        return got;
    }

    private int readAway(ScatteringByteChannel channel, int part) throws IOException {
        in.clear().limit(Math.min(part, BUFFER));
        int got;
        try {
            got = channel.read(in);
        } finally {
            in.clear().limit(0);
        }
        land(Math.max(0, got));
        return got;
    }

    private void land(int bytes) {
        left -= bytes;
        if (bytes > 0) {
            sink.landed(bytes);
        }
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A ring of bytes in memory of two processes, one of which writes and one reads: what a socket between the two would carry.
 * Each end keeps its own position to itself and takes the other's for a claim, which it checks.
 */
final class ByteRing {

    /** Bytes of the words of one ring, each on a cache line of its own. */
    static final int CONTROL = 256;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** How far the writer has come. */
    private static final int TAIL = 0;

    /** How far the reader has come. */
    private static final int HEAD = 64;

    /** Set by a reader that sleeps until it is woken. */
    private static final int READER_SLEEPS = 128;

    /** Set by a writer that waits for room. */
    private static final int WRITER_WAITS = 192;

    private final ByteBuffer control;

    private final ByteBuffer data;

    private final int capacity;

    /** @param capacity bytes of data, a power of two */
    ByteRing(long control, long data, int capacity) {
        this.control = OffHeap.asByteBuffer(control, CONTROL).order(ByteOrder.nativeOrder());
        this.data = OffHeap.asByteBuffer(data, capacity);
        this.capacity = capacity;
    }

    private long word(int word) {
        return (long) LONG.getAcquire(control, word);
    }

    private void setWord(int word, long value) {
        LONG.setRelease(control, word, value);
    }

    /** Takes a word that says 1 back to 0; whether it said so. The fence orders it after what was written before. */
    private boolean takeFlag(int word) {
        VarHandle.fullFence();
        return (long) LONG.getAcquire(control, word) != 0 && (long) LONG.getAndSet(control, word, 0L) != 0;
    }

    private void raiseFlag(int word) {
        setWord(word, 1);
        VarHandle.fullFence();
    }

    /** The bytes from a position on, up to the end of the memory. */
    private ByteBuffer piece(ByteBuffer view, long position, int length) {
        int start = (int) (position & capacity - 1);
        return view.limit(Math.min(capacity, start + length)).position(start);
    }

    private long distance(long from, long to) throws IOException {
        long distance = to - from;
        if (distance < 0 || distance > capacity) {
            throw new Wire.ProtocolException("The peer's position in shared memory is impossible");
        }
        return distance;
    }

    /** The writing end. Not thread-safe. */
    final class Writer {

        private final ByteBuffer view = data.duplicate();

        private long tail;

        /** How many bytes can be written now. */
        int room(int reserved) throws IOException {
            return Math.max(0, (int) (capacity - reserved - distance(word(HEAD), tail)));
        }

        /** Copies as much as there is room for and makes it seen; returns how many bytes. */
        int write(ByteBuffer[] sources, int first, int count, int reserved) throws IOException {
            int room = room(reserved);
            long end = tail;
            for (int i = first; i < first + count && room > 0; i++) {
                int part = Math.min(room, sources[i].remaining());
                put(end, sources[i], part);
                end += part;
                room -= part;
            }
            int written = (int) (end - tail);
            tail = end;
            if (written > 0) {
                setWord(TAIL, end);
            }
            return written;
        }

        private void put(long at, ByteBuffer source, int bytes) {
            int limit = source.limit();
            int stop = source.position() + bytes;
            long position = at;
            while (source.position() < stop) {
                ByteBuffer target = piece(view, position, stop - source.position());
                position += target.remaining();
                source.limit(source.position() + target.remaining());
                target.put(source);
            }
            source.limit(limit);
        }

        /** Whether the reader is to be woken, which is for the caller to do then. */
        boolean takeSleeper() {
            return takeFlag(READER_SLEEPS);
        }

        /** Asks to be woken when there is room again; {@code false} if there is some already. */
        boolean awaitRoom(int reserved) throws IOException {
            raiseFlag(WRITER_WAITS);
            return room(reserved) == 0;
        }
    }

    /** The reading end. Not thread-safe. */
    final class Reader {

        private final ByteBuffer view = data.duplicate();

        private long head;

        /** How many bytes can be read now. */
        int available() throws IOException {
            return (int) distance(head, word(TAIL));
        }

        /** Copies as much as there is and fits; returns how many bytes. */
        int read(ByteBuffer[] targets, int first, int count) throws IOException {
            int left = available();
            long end = head;
            for (int i = first; i < first + count && left > 0; i++) {
                int part = Math.min(left, targets[i].remaining());
                get(end, targets[i], part);
                end += part;
                left -= part;
            }
            int taken = (int) (end - head);
            head = end;
            if (taken > 0) {
                setWord(HEAD, end);
            }
            return taken;
        }

        private void get(long at, ByteBuffer target, int bytes) {
            int left = bytes;
            long position = at;
            while (left > 0) {
                ByteBuffer source = piece(view, position, left);
                left -= source.remaining();
                position += source.remaining();
                target.put(source);
            }
        }

        /** Whether the writer is to be woken since there is room again, which is for the caller to do then. */
        boolean takeWaiter() {
            return takeFlag(WRITER_WAITS);
        }

        /** Asks to be woken when something comes; {@code false} if something is there already. */
        boolean sleep() throws IOException {
            raiseFlag(READER_SLEEPS);
            return available() == 0;
        }

        /** Need not be woken, since somebody looks all the time. */
        void stayAwake() {
            setWord(READER_SLEEPS, 0);
        }
    }
}

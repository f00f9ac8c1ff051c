package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.GatheringByteChannel;

/** The writing end of a ring as a channel. Guarded by the lock of its half of a queue pair. */
final class RingOutput implements GatheringByteChannel {

    /** Room that only the last words of a connection may take. */
    private static final int RESERVED = 4096;

    private final ByteRing.Writer writer;

    private final Runnable wakePeer;

    private final ByteBuffer[] single = new ByteBuffer[1];

    private boolean open = true;

    RingOutput(ByteRing ring, Runnable wakePeer) {
        this.writer = ring.new Writer();
        this.wakePeer = wakePeer;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return write(sources, offset, length, RESERVED);
    }

    private int write(ByteBuffer[] sources, int offset, int length, int reserved) throws IOException {
        if (!open) {
            throw new ClosedChannelException();
        }
        int written = writer.write(sources, offset, length, reserved);
        if (written > 0 && writer.takeSleeper()) {
            wakePeer.run();
        }
        return written;
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        single[0] = source;
        return write(single, 0, 1, RESERVED);
    }

    /** Writes the last words of a connection, for which there is always room. */
    void writeLast(ByteBuffer source) throws IOException {
        single[0] = source;
        write(single, 0, 1, 0);
    }

    /** Asks to be woken when there is room; {@code false} if there is some. */
    boolean awaitRoom() throws IOException {
        return open && writer.awaitRoom(RESERVED);
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
    }
}

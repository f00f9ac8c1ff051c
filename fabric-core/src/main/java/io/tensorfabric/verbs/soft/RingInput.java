package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ScatteringByteChannel;

/** The reading end of a ring as a channel, which never ends. Guarded by the lock of its half of a queue pair. */
final class RingInput implements ScatteringByteChannel {

    private final ByteRing.Reader reader;

    private final Runnable wakePeer;

    private final ByteBuffer[] single = new ByteBuffer[1];

    private boolean open = true;

    private boolean sleeping;

    private boolean used;

    RingInput(ByteRing ring, Runnable wakePeer) {
        this.reader = ring.new Reader();
        this.wakePeer = wakePeer;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        if (!open) {
            throw new ClosedChannelException();
        }
        int taken = reader.read(targets, offset, length);
        if (taken > 0) {
            used = true;
            if (reader.takeWaiter()) {
                wakePeer.run();
            }
        }
        return taken;
    }

    @Override
    public long read(ByteBuffer[] targets) throws IOException {
        return read(targets, 0, targets.length);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        single[0] = target;
        return (int) read(single, 0, 1);
    }

    /** Whether something is there; whoever asks looks again soon, so that the peer need not wake anybody. */
    boolean hasSome() throws IOException {
        if (sleeping) {
            sleeping = false;
            reader.stayAwake();
        }
        return open && reader.available() > 0;
    }

    /** Whether something came since the last question. */
    boolean takeUsed() {
        boolean now = used;
        used = false;
        return now;
    }

    /** Has the peer wake this end when something comes; {@code false} if something is there. */
    boolean sleep() throws IOException {
        if (!open) {
            return true;
        }
        sleeping = reader.sleep();
        return sleeping;
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

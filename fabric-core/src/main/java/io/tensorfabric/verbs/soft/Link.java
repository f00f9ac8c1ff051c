package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A TCP connection of one direction of a queue pair, from the handshake on. Served by one loop. */
abstract class Link implements IoLoop.Handler, FramePath {

    private static final Logger log = LoggerFactory.getLogger(Link.class);

    static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final IoLoop loop;

    private final SocketChannel channel;

    private final AtomicBoolean closed = new AtomicBoolean();

    private volatile @Nullable SelectionKey key;

    private volatile int interests;

    private ByteBuffer expected = ByteBuffer.allocate(0);

    private final RingEnds rings = new RingEnds(this);

    Link(IoLoop loop, SocketChannel channel) throws IOException {
        this.loop = loop;
        this.channel = channel;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Registers with the loop; on its thread. */
    final void register(int firstInterests) throws IOException {
        interests = firstInterests;
        key = channel.register(loop.selector(), firstInterests, this);
        loop.schedule(System.nanoTime() + HANDSHAKE_NANOS, this::handshakeDeadline);
    }

    private void handshakeDeadline() {
        if (!isUp() && !closed.get()) {
            log.debug("A handshake took longer than 2 s: the connection is closed");
            close();
        }
    }

    abstract boolean isUp();

    /** The connection was closed, by whichever end; on the loop's thread, once. */
    abstract void lost();

    /** Whether the other end is on this host, for all that addresses tell. */
    final boolean isLocal() {
        try {
            return channel.getRemoteAddress() instanceof InetSocketAddress remote
                    && channel.getLocalAddress() instanceof InetSocketAddress own
                    && remote.getAddress().equals(own.getAddress());
        } catch (IOException ex) {
            // Closed in this moment.
            return false;
        }
    }

    final SocketChannel channel() {
        return channel;
    }

    /** What carries the bytes instead of the socket, once both ends have it. */
    final RingEnds rings() {
        return rings;
    }

    @Override
    public final GatheringByteChannel output() {
        return rings.outputOr(channel);
    }

    @Override
    public final void writeTo(ByteRing ring) {
        rings.writeTo(ring);
    }

    /** Where frames come from. */
    final ScatteringByteChannel input() {
        return rings.inputOr(channel);
    }

    /** Serves the established connection, whose input or output is ready for these operations. */
    abstract void serve(int operations) throws IOException;

    /** The socket is ready. Where a ring carries the bytes, the socket says only that the other end did something. */
    final void socketReady(int operations) throws IOException {
        boolean hadInput = rings.hasInput();
        boolean ended = hadInput && (operations & SelectionKey.OP_READ) != 0 && !rings.drain(channel);
        serve(rings.takeRoomWanted() ? operations | SelectionKey.OP_WRITE : operations);
        if (!hadInput && rings.hasInput() && rings.takeRoomWanted()) {
            // Word of it may have come with the frame after which the socket carries no more of them.
            serve(SelectionKey.OP_WRITE);
        }
        if (ended) {
            close();
        }
    }

    /** Serves it on the loop's thread, soon. */
    final void serveLater(int operations) {
        loop.execute(() -> serveNow(operations));
    }

    /** Serves it on this thread; a failure closes the connection. */
    final void serveNow(int operations) {
        try {
            serve(operations);
        } catch (IOException ex) {
            log.debug("A connection ended: {}", ex.toString());
            close();
        } catch (RuntimeException | Error ex) {
            log.error("A connection failed and is closed", ex);
            close();
        }
    }

    final IoLoop loop() {
        return loop;
    }

    final void execute(Runnable task) {
        loop.execute(task);
    }

    final boolean isClosed() {
        return closed.get();
    }

    /** Asks to be called when the socket can be written. Calls for one link must not overlap. */
    final void wantWrite(boolean wanted) throws IOException {
        if (!rings.hasOutput()) {
            want(SelectionKey.OP_WRITE, wanted);
        } else if (rings.wantRoom(wanted)) {
            serveLater(SelectionKey.OP_WRITE);
        }
    }

    /** Asks for no such call. */
    final void wantNoWrite() {
        if (!rings.hasOutput()) {
            want(SelectionKey.OP_WRITE, false);
        }
    }

    /** Asks to be called when the socket can be read. Calls for one link must not overlap. */
    final void wantRead(boolean wanted) {
        // What wakes this end must always come through.
        want(SelectionKey.OP_READ, wanted || rings.hasInput());
    }

    private void want(int operation, boolean wanted) {
        int present = interests;
        setInterests(wanted ? present | operation : present & ~operation);
    }

    final void setInterests(int next) {
        SelectionKey registered = key;
        if (next == interests || registered == null || closed.get()) {
            return;
        }
        boolean more = (next & ~interests) != 0;
        interests = next;
        try {
            registered.interestOps(next);
        } catch (CancelledKeyException ex) {
            // Closed by another thread in this moment; whoever closed it tells the owner.
            return;
        }
        if (more) {
            loop.wakeUp();
        }
    }

    /** Starts to wait for a handshake message. */
    final void expect(int bytes) {
        expected = ByteBuffer.allocate(bytes);
    }

    /** Reads on; returns the handshake message when it is complete. */
    final @Nullable ByteBuffer receive() throws IOException {
        if (channel.read(expected) < 0) {
            throw new Wire.ProtocolException("The peer closed the connection in the handshake");
        }
        return expected.hasRemaining() ? null : expected;
    }

    /** Sends a handshake message, which a fresh socket always has room for. */
    final void send(ByteBuffer message) throws IOException {
        ByteBuffer rest = message.duplicate().clear().limit(message.limit());
        channel.write(rest);
        if (rest.hasRemaining()) {
            throw new IOException("A fresh connection took no handshake message");
        }
    }

    @Override
    public final void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.close();
        } catch (IOException ex) {
            log.debug("Closing a connection failed: {}", ex.toString());
        }
        // Never within the caller, who may hold locks or be in the middle of using the link.
        loop.execute(this::lost);
    }
}

package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * This end's halves of the rings that carry a connection's bytes between two processes of one host, where both have mapped
 * them; each direction changes from the socket to its ring at a frame that says so. Then the socket carries single bytes that
 * wake the other end, and tells when that one is gone. Guarded by the lock of the half of a queue pair that has the
 * connection, but for what only the loop's thread asks.
 */
final class RingEnds {

    private final Link link;

    private final ByteBuffer knock = ByteBuffer.allocate(1);

    /** Of the loop's thread. */
    private @Nullable ByteBuffer knocks;

    private volatile @Nullable RingInput input;

    private volatile @Nullable RingOutput output;

    /** A byte that wakes the peer may not come between frames: it is owed until the socket carries no more of them. */
    private boolean knockOwed;

    private volatile boolean roomWanted;

    RingEnds(Link link) {
        this.link = link;
    }

    boolean hasInput() {
        return input != null;
    }

    boolean hasOutput() {
        return output != null;
    }

    ScatteringByteChannel inputOr(SocketChannel socket) {
        RingInput ring = input;
        return ring == null ? socket : ring;
    }

    GatheringByteChannel outputOr(SocketChannel socket) {
        RingOutput ring = output;
        return ring == null ? socket : ring;
    }

    /** From now on frames come by this ring. */
    void readFrom(ByteRing ring) {
        input = new RingInput(ring, this::wakePeer);
    }

    /** From now on frames go by this ring; none is in the socket's way any more. */
    void writeTo(ByteRing ring) {
        output = new RingOutput(ring, this::wakePeer);
        if (knockOwed) {
            wakePeer();
        }
    }

    private void wakePeer() {
        knockOwed = output == null;
        if (!knockOwed) {
            try {
                // If the socket takes no more, enough of these are on their way.
                link.channel().write(knock.clear());
            } catch (IOException e) {
                link.close();
            }
        }
    }

    /** Takes what the peer sent to wake this end; {@code false} if it has closed the connection. Loop's thread only. */
    boolean drain(SocketChannel socket) throws IOException {
        ByteBuffer sink = knocks;
        if (sink == null) {
            sink = ByteBuffer.allocate(64);
            knocks = sink;
        }
        int got;
        do {
            got = socket.read(sink.clear());
        } while (got == sink.capacity());
        return got >= 0;
    }

    /** Has the peer tell when there is room to write; whether there is some already, so that writing can go on. */
    boolean wantRoom(boolean wanted) throws IOException {
        RingOutput ring = output;
        // Before the peer is asked, whose answer may come at once.
        roomWanted = wanted;
        if (!wanted || (ring != null && ring.awaitRoom())) {
            return false;
        }
        roomWanted = false;
        return true;
    }

    boolean takeRoomWanted() {
        boolean wanted = roomWanted;
        roomWanted = false;
        return wanted;
    }

    /** Whether the ring has something; whoever asks looks again soon. */
    boolean hasSome() throws IOException {
        RingInput ring = input;
        return ring != null && ring.hasSome();
    }

    /** Whether something came by the ring since the last question. */
    boolean takeUsed() {
        RingInput ring = input;
        return ring != null && ring.takeUsed();
    }

    /** Has the peer wake the loop when something comes; {@code false} if something is there already. */
    boolean sleep() throws IOException {
        RingInput ring = input;
        return ring == null || ring.sleep();
    }

    /** Writes the last words of the connection; {@code false} if its frames still go by the socket. */
    boolean writeLast(byte[] words) throws IOException {
        RingOutput ring = output;
        if (ring == null) {
            return false;
        }
        ring.writeLast(ByteBuffer.wrap(words));
        return true;
    }

    /** The memory is about to go: nothing touches it any more. */
    void close() {
        RingInput in = input;
        RingOutput out = output;
        if (in != null) {
            in.close();
        }
        if (out != null) {
            out.close();
        }
    }
}

package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/** A connection that a peer's requester has dialled. */
final class ResponderLink extends Link {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Engine engine;

    private final Acceptor acceptor;

    private volatile @Nullable Responder responder;

    private @Nullable ByteBuffer hello;

    private @Nullable ByteBuffer challenge;

    /** What is left to say before the connection ends; {@code null} while it is in use. */
    private volatile @Nullable ByteBuffer farewell;

    ResponderLink(IoLoop loop, SocketChannel channel, Engine engine, Acceptor acceptor) throws IOException {
        super(loop, channel);
        this.engine = engine;
        this.acceptor = acceptor;
    }

    /** Begins to listen; on the loop's thread. */
    void start() {
        try {
            expect(Handshake.HELLO);
            register(SelectionKey.OP_READ);
        } catch (IOException | RuntimeException ex) {
            close();
        }
    }

    @Override
    public void ready(int operations) throws IOException {
        Responder present = responder;
        ByteBuffer last = farewell;
        if (last != null) {
            sayFarewell(last);
        } else if (present != null) {
            socketReady(operations);
        } else {
            shakeHands();
        }
    }

    private void shakeHands() throws IOException {
        ByteBuffer message = receive();
        if (message == null) {
            return;
        }
        ByteBuffer greeting = hello;
        ByteBuffer asked = challenge;
        if (greeting == null || asked == null) {
            hello = message;
            ByteBuffer question = Handshake.challenge(Handshake.agreeOnVersion(message));
            challenge = question;
            send(question);
            expect(Handshake.PROOF);
        } else {
            checkProof(greeting, asked, message);
        }
    }

    private void checkProof(ByteBuffer greeting, ByteBuffer asked, ByteBuffer message) throws IOException {
        Pair pair = engine.pair(Handshake.destination(greeting));
        byte[] key = pair == null ? null : pair.keyOf(Handshake.source(greeting));
        if (pair == null || key == null) {
            // As much work as for a queue pair that exists, so that the time tells nothing.
            byte[] nobody = new byte[2 * SoftAddress.SECRET_LENGTH];
            RANDOM.nextBytes(nobody);
            Handshake.checkProof(nobody, greeting, asked, message);
            throw new Wire.ProtocolException("No queue pair takes this connection");
        }
        Handshake.Proof proof = Handshake.checkProof(key, greeting, asked, message);
        if (pair.refusesConnections()) {
            throw new Wire.ProtocolException("The port is down, or a fault refuses connections");
        }
        long expected = pair.responder().adopt(this, proof);
        if (expected < 0) {
            throw new Wire.ProtocolException("The queue pair is not in a state to take this connection");
        }
        responder = pair.responder();
        acceptor.settled(this);
        send(Handshake.accept(key, greeting, asked, message, expected));
    }

    /** Ends the connection after these last bytes, without losing what is on its way to the peer. */
    void retire(byte[] lastBytes) {
        if (isClosed()) {
            return;
        }
        farewell = ByteBuffer.wrap(lastBytes);
        execute(this::beginFarewell);
    }

    private void beginFarewell() {
        loop().schedule(System.nanoTime() + HANDSHAKE_NANOS, this::close);
        ByteBuffer last = farewell;
        try {
            if (last != null) {
                sayFarewell(last);
            }
        } catch (IOException ex) {
            close();
        }
    }

    private void sayFarewell(ByteBuffer last) throws IOException {
        if (isClosed()) {
            return;
        }
        if (last.hasRemaining()) {
            channel().write(last);
        }
        wantWrite(last.hasRemaining());
        wantRead(true);
        if (!last.hasRemaining()) {
            channel().shutdownOutput();
        }
        // Closing with unread bytes would reset the connection, and the peer would lose the farewell.
        ByteBuffer sink = ByteBuffer.allocate(Wire.REQUEST_HEADER * 1024);
        for (int i = 0; i < 32; i++) {
            int got = channel().read(sink.clear());
            if (got < 0) {
                close();
            }
            if (got <= 0) {
                return;
            }
        }
    }

    @Override
    void serve(int operations) throws IOException {
        Responder present = responder;
        if (present != null && farewell == null) {
            present.ready(this, operations);
        }
    }

    @Override
    boolean isUp() {
        return responder != null;
    }

    @Override
    void lost() {
        acceptor.settled(this);
        Responder present = responder;
        if (present != null) {
            present.linkLost(this);
        }
    }
}

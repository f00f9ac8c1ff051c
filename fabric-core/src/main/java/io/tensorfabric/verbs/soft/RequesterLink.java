package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** The connection that a requester has dialled. */
final class RequesterLink extends Link {

    private final Pair pair;

    private final SoftAddress peer;

    private final int destination;

    private final Handshake.Proof proof;

    private final byte[] macKey;

    private final long madeAt = System.nanoTime();

    private volatile boolean up;

    private boolean connected;

    private @Nullable ByteBuffer hello;

    private @Nullable ByteBuffer challenge;

    private @Nullable ByteBuffer sentProof;

    /** Prepares a connection with what the requester is at the moment; its send lock is held. */
    RequesterLink(IoLoop loop, Pair pair, SoftAddress peer) throws IOException {
        super(loop, SocketChannel.open());
        this.pair = pair;
        this.peer = peer;
        PairConfig config = pair.config();
        this.destination = config.destination();
        this.macKey = Handshake.key(peer.secret(), pair.secret());
        this.proof = new Handshake.Proof(
                config.sendPsn(),
                config.mtu().bytes(),
                pair.epoch(),
                pair.requester().resumeFrom());
    }

    /** Begins to connect; on the loop's thread. */
    void connect() {
        try {
            register(0);
            if (channel().connect(peer.endpoint())) {
                greet();
            } else {
                setInterests(SelectionKey.OP_CONNECT);
            }
        } catch (IOException | RuntimeException ex) {
            close();
        }
    }

    private void greet() throws IOException {
        connected = true;
        ByteBuffer message = Handshake.hello(destination, pair.number());
        hello = message;
        send(message);
        expect(Handshake.CHALLENGE);
        setInterests(SelectionKey.OP_READ);
    }

    @Override
    public void ready(int operations) throws IOException {
        if (up) {
            socketReady(operations);
        } else if (!connected) {
            if (channel().finishConnect()) {
                greet();
            }
        } else {
            shakeHands();
        }
    }

    private void shakeHands() throws IOException {
        ByteBuffer message = receive();
        ByteBuffer own = hello;
        if (message == null || own == null) {
            return;
        }
        ByteBuffer asked = challenge;
        ByteBuffer proved = sentProof;
        if (asked == null || proved == null) {
            Handshake.checkChallenge(message);
            challenge = message;
            ByteBuffer answer = Handshake.proof(macKey, own, message, proof);
            sentProof = answer;
            send(answer);
            expect(Handshake.ACCEPT);
        } else {
            long peerExpects = Handshake.checkAccept(macKey, own, asked, proved, message);
            pair.requester().linkUp(this, peerExpects);
        }
    }

    @Override
    void serve(int operations) throws IOException {
        pair.requester().ready(this, operations);
    }

    @Override
    boolean isUp() {
        return up;
    }

    /** The {@link System#nanoTime()} of its making. */
    long madeAt() {
        return madeAt;
    }

    void markUp() {
        up = true;
    }

    @Override
    void lost() {
        pair.requester().linkLost(this);
    }
}

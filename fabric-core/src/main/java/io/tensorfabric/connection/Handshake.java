package io.tensorfabric.connection;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The greetings of a connection: HELLO on every lane from the initiator, HELLO_ACK on every lane from the responder. Each
 * carries the connection's id; the answer is as long as a message can be, so that it crosses the MTU on the way back.
 * Thread-safe.
 */
final class Handshake {

    private static final int ID_BYTES = 16;

    private final UUID id;

    private final int lanes;

    private final BitSet greeted = new BitSet();

    private boolean established;

    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /** @param established whether the other side's {@code established} call need not be waited for */
    Handshake(String connectionId, int lanes, boolean established) {
        this.id = UUID.fromString(connectionId);
        this.lanes = lanes;
        this.established = established;
    }

    /** Ends when every lane was greeted and, at the responder, the initiator has established. */
    CompletableFuture<Void> done() {
        return done;
    }

    /** The initiator is RTS and has opened its zones. */
    void established() {
        synchronized (this) {
            established = true;
        }
        completeIfDone();
    }

    /** A greeting came; false if it is of another connection. */
    boolean greeted(int lane, ByteBuffer body) {
        if (body.remaining() < ID_BYTES
                || body.getLong(body.position()) != id.getMostSignificantBits()
                || body.getLong(body.position() + Long.BYTES) != id.getLeastSignificantBits()) {
            return false;
        }
        synchronized (this) {
            greeted.set(lane);
        }
        completeIfDone();
        return true;
    }

    private void completeIfDone() {
        boolean complete;
        synchronized (this) {
            complete = established && greeted.cardinality() == lanes;
        }
        if (complete) {
            done.complete(null);
        }
    }

    /** Sends the greeting on every lane. */
    void greet(Iterable<QueuePairLane> all, int type, Deadline deadline) {
        for (QueuePairLane lane : all) {
            InternalWork.post(lane, true, deadline, transmission -> {
                ByteBuffer body = transmission.open(type);
                body.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
                if (type == MessageTypes.HELLO_ACK) {
                    while (body.remaining() >= Long.BYTES) {
                        body.putLong(0);
                    }
                }
            });
        }
    }
}

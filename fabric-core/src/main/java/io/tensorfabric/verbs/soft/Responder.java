package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a queue pair: accepts the peer's connection, executes its messages in order and once, and
 * answers. All state is guarded by the queue pair's receive lock.
 */
final class Responder {

    /** Bytes that one queue pair may take in one turn, so that others get theirs. */
    private static final long TURN = 1 << 20;

    private final Pair pair;

    private final MessageExecutor executor;

    private final Answers answers;

    private final FrameReader reader;

    private final RingWatch watch;

    private volatile @Nullable ResponderLink link;

    /** Incarnation of the requester that this end serves, once one has connected. */
    private @Nullable Long peerEpoch;

    private boolean failed;

    /** Whether the loop reads on later, without anything that it is told of. */
    private boolean goesOn;

    Responder(Pair pair) {
        this.pair = pair;
        MemoryAccess access = new MemoryAccess(pair.engine().keys());
        this.answers = new Answers(pair);
        this.executor = new MessageExecutor(pair, access, answers);
        this.reader = new FrameReader(Wire.REQUEST_HEADER, access, executor);
        this.watch = new RingWatch(pair.engine().attention(), pair.receiveLock());
    }

    /**
     * Takes a connection whose peer has proved itself.
     *
     * @return the number of the next message to be executed, or -1 when the connection does not fit
     */
    long adopt(ResponderLink from, Handshake.Proof proof) {
        pair.receiveLock().lock();
        try {
            if (!pair.mayReceive() || failed || proof.sendPsn() != pair.config().receivePsn()) {
                return -1;
            }
            long expected = executor.expected();
            boolean known = peerEpoch != null && peerEpoch == proof.epoch();
            boolean fresh = peerEpoch == null && proof.resumeFrom() == 0;
            if (!(known || fresh) || proof.resumeFrom() > expected) {
                return -1;
            }
            peerEpoch = proof.epoch();
            dropLink();
            link = from;
            goesOn = false;
            executor.connected(proof.mtu(), from.isLocal());
            return expected;
        } finally {
            pair.receiveLock().unlock();
        }
    }

    /** Called by the loop: the socket can be read, written or both. */
    void ready(ResponderLink from, int operations) throws IOException {
        boolean again =
                serve(from, (operations & SelectionKey.OP_READ) != 0, (operations & SelectionKey.OP_WRITE) != 0);
        while (again) {
            // Answers left and made room for requests that lie in the buffer already.
            again = serve(from, true, false);
        }
        if (reader.hasYielded() && mustGoOn(from)) {
            // To the end of the loop's work: others get their turn.
            from.execute(() -> goOn(from));
        }
    }

    /** Whether more is to be read after others had their turn, and this is the first to say so. */
    private boolean mustGoOn(ResponderLink from) {
        pair.receiveLock().lock();
        try {
            boolean first = link == from && reader.hasYielded() && !goesOn;
            goesOn |= first;
            return first;
        } finally {
            pair.receiveLock().unlock();
        }
    }

    private void goOn(ResponderLink from) {
        pair.receiveLock().lock();
        try {
            if (link != from) {
                return;
            }
            goesOn = false;
        } finally {
            pair.receiveLock().unlock();
        }
        from.serveNow(SelectionKey.OP_READ);
    }

    private boolean serve(ResponderLink from, boolean readable, boolean writable) throws IOException {
        boolean failedNow;
        pair.receiveLock().lock();
        try {
            if (link != from) {
                from.close();
                return false;
            }
            failedNow = receive(from, readable, writable);
        } finally {
            pair.receiveLock().unlock();
        }
        if (failedNow) {
            // Outside of the receive lock, which comes after the send lock; the refusal leaves afterwards, so that the
            // peer sees it no earlier than this end is in error.
            pair.enterErrorAsResponder();
        }
        pair.receiveLock().lock();
        try {
            return link == from && flush(from);
        } finally {
            pair.receiveLock().unlock();
        }
    }

    private boolean receive(ResponderLink from, boolean readable, boolean writable) throws IOException {
        boolean wasHeld = executor.isHeld();
        if (writable) {
            answers.flush(from);
        }
        boolean resumed = wasHeld && !executor.isHeld();
        if ((readable || resumed) && !read(from)) {
            from.close();
        }
        boolean failedNow = executor.hasFailed() && !failed;
        failed |= failedNow;
        return failedNow;
    }

    private boolean read(ResponderLink from) throws IOException {
        try {
            boolean open;
            do {
                open = reader.read(from.input(), TURN);
            } while (open && (changed(from) || !dozes(from)));
            return open;
        } catch (InternalError ex) {
            if (!MemoryFaults.isCause(ex)) {
                throw ex;
            }
            reader.abandon();
            if (!executor.hasFailed()) {
                executor.memoryGone();
            }
            return true;
        }
    }

    /** Whether requests come by a ring from now on. */
    private boolean changed(ResponderLink from) throws IOException {
        boolean now = reader.takeChange();
        if (now) {
            RingPair rings = executor.rings();
            watch.begin(from, rings.requests());
            answers.changeTo(rings.answers());
        }
        return now;
    }

    /** Whether all is read for now, so that the peer wakes this end when there is more. */
    private boolean dozes(ResponderLink from) throws IOException {
        return reader.hasYielded() || executor.isHeld() || watch.mayLeave(from);
    }

    /** Writes answers; returns whether that let requests go on that were held. */
    private boolean flush(ResponderLink from) throws IOException {
        boolean wasHeld = executor.isHeld();
        from.wantWrite(!answers.flush(from));
        from.wantRead(!executor.isHeld());
        return wasHeld && !executor.isHeld();
    }

    /** Answers may leave that a fault held back. */
    void resume() {
        ResponderLink present = link;
        if (present != null) {
            present.execute(() -> resume(present));
        }
    }

    private void resume(ResponderLink from) {
        try {
            ready(from, SelectionKey.OP_WRITE);
        } catch (IOException ex) {
            from.close();
        }
    }

    /** The connection is gone; the peer may make another. */
    void linkLost(ResponderLink from) {
        pair.receiveLock().lock();
        try {
            if (link == from) {
                dropLink();
            }
        } finally {
            pair.receiveLock().unlock();
        }
    }

    private void dropLink() {
        ResponderLink old = link;
        link = null;
        if (old != null) {
            sayFarewell(old);
            watch.end(old);
        }
        reader.reset();
        executor.disconnected();
        answers.reset();
    }

    private void sayFarewell(ResponderLink old) {
        try {
            old.retire(answers.farewell(old));
        } catch (IOException ex) {
            old.close();
        }
    }

    void cut() {
        ResponderLink present = link;
        if (present != null) {
            present.close();
        }
    }

    /** Whether the queue pair has gone into error because of what the peer asked for. */
    boolean hasFailed() {
        return failed;
    }

    /** The queue pair is in error; flushes receives. Receive lock held. */
    void enterError() {
        executor.flush();
        if (!failed) {
            dropLink();
        }
        failed = true;
    }

    /** Drops everything without completions. Receive lock held. */
    void reset() {
        dropLink();
        executor.reset();
        peerEpoch = null;
        failed = false;
    }

    void free() {
        reader.free();
        executor.free();
        answers.free();
    }
}

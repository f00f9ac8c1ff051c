package io.tensorfabric.verbs.soft;

import java.io.IOException;

/** Takes in what the responder says, by the socket or a ring. Guarded by the queue pair's send lock. */
final class AnswerIntake {

    private final AnswerReader answers;

    private final FrameReader reader;

    private final Sharing sharing;

    private final RingWatch watch;

    AnswerIntake(Pair pair, SendQueue queue, Sharing sharing) {
        MemoryAccess access = new MemoryAccess(pair.engine().keys());
        this.sharing = sharing;
        this.answers = new AnswerReader(queue, access, sharing);
        this.reader = new FrameReader(Wire.RESPONSE_HEADER, access, answers);
        this.watch = new RingWatch(pair.engine().attention(), pair.sendLock());
    }

    AnswerReader answers() {
        return answers;
    }

    /** Reads what there is; {@code false} when the connection has ended. */
    boolean read(RequesterLink from, long budget) throws IOException {
        try {
            boolean open;
            do {
                open = reader.read(from.input(), budget);
            } while (open && (changed(from) || mayHaveMore(from)));
            return open;
        } catch (InternalError ex) {
            if (!MemoryFaults.isCause(ex)) {
                throw ex;
            }
            answers.memoryGone();
            return true;
        }
    }

    /** Whether bytes came since the last question. */
    boolean takeProgress() {
        return reader.takeProgress();
    }

    /** Whether answers come by a ring from now on. */
    private boolean changed(RequesterLink from) throws IOException {
        boolean now = reader.takeChange();
        if (now) {
            watch.begin(from, sharing.usedRings().answers());
        }
        return now;
    }

    private boolean mayHaveMore(RequesterLink from) throws IOException {
        return answers.mayRead() && !watch.mayLeave(from);
    }

    /** The connection is no more, and the memory of its rings about to go. */
    void end(RequesterLink from) {
        watch.end(from);
    }

    void reset() {
        reader.reset();
        answers.reset();
    }

    void free() {
        reader.free();
    }
}

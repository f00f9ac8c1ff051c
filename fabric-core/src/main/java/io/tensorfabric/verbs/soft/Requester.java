package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.SharedBlock;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a queue pair: takes posts, drives the transmitter, understands answers, and retries. All state is
 * guarded by the queue pair's send lock.
 */
final class Requester {

    /** Bytes that one queue pair may send in one turn, so that others get theirs. */
    private static final long TURN = 1 << 20;

    private final Pair pair;

    private final SendQueue queue;

    private final SendRing ring;

    private final SendGate gate;

    private final Transmitter transmitter;

    private final Sharing sharing;

    private final MessagePicker picker;

    private final AnswerReader answers;

    private final AnswerIntake intake;

    private final RetryClock clock;

    private volatile @Nullable RequesterLink link;

    private boolean writeWanted;

    private final PumpAppointment appointment;

    Requester(Pair pair, int capacity, int maxInline, boolean signalAll) {
        this.pair = pair;
        this.ring = new SendRing(capacity, maxInline);
        this.queue = new SendQueue(pair, ring, signalAll);
        this.gate = new SendGate(pair);
        this.clock = new RetryClock(pair, queue);
        this.appointment = new PumpAppointment(pair.loop(), pair.sendLock(), () -> pump(false));
        MemoryAccess sendAccess = new MemoryAccess(pair.engine().keys());
        this.picker = new MessagePicker(pair, this, queue, sendAccess, clock);
        this.sharing = new Sharing(pair.engine().sharingControl());
        this.transmitter = new Transmitter(picker, gate, queue, sendAccess, sharing);
        this.intake = new AnswerIntake(pair, queue, sharing);
        this.answers = intake.answers();
    }

    SendGate gate() {
        return gate;
    }

    SendQueue queue() {
        return queue;
    }

    /** Takes requests; returns how many. */
    int post(SendRequests requests, PostCheck check) {
        int size = requests.size();
        boolean flushed = pair.state() == QueuePairState.ERR;
        boolean wasIdle = queue.isIdle();
        int accepted = 0;
        try {
            for (; accepted < size && !queue.isFull(); accepted++) {
                long request = requests.address() + (long) accepted * SendRequests.STRIDE;
                check.check(request, accepted);
                ring.copyIn(queue.tail, request, gate.notBefore());
                queue.tail++;
                if (flushed) {
                    queue.flush();
                }
            }
        } finally {
            if (accepted > 0 && !flushed) {
                if (wasIdle) {
                    clock.restart();
                }
                pump(false);
            }
        }
        return accepted;
    }

    /** Does what can be done now: local operations, dialling, sending. */
    private void pump(boolean socketReady) {
        if (!pair.mayTransmit()) {
            return;
        }
        if (queue.isIdle()) {
            stopWriting();
            pair.checkDrained();
            return;
        }
        RequesterLink present = link;
        if (present == null || !present.isUp()) {
            // Remote operations wait for the connection; local ones that come before them do not.
            picker.next();
            settle();
            if (queue.hasOutstanding() || (queue.sendIndex < queue.tail && !queue.isBlocked())) {
                dial(present);
            }
        } else if (socketReady || !writeWanted) {
            transmit(present);
        }
    }

    private void transmit(RequesterLink present) {
        try {
            Transmitter.Outcome outcome = transmitter.run(present, TURN);
            if (transmitter.progressed()) {
                clock.progress();
            }
            writeWanted = outcome != Transmitter.Outcome.IDLE;
            present.wantWrite(writeWanted);
        } catch (Transmitter.LocalMemoryGone ex) {
            revoke();
            while (queue.ackIndex < ex.index()) {
                queue.failOldest(WorkCompletionStatus.WR_FLUSH_ERR);
            }
            fail(WorkCompletionStatus.LOC_PROT_ERR);
            return;
        } catch (IOException ex) {
            present.close();
            return;
        }
        settle();
        clock.arm(link);
    }

    private void stopWriting() {
        RequesterLink present = link;
        if (writeWanted && present != null) {
            // Frames of a message that was sent twice may be left over; they go first with the next post.
            writeWanted = false;
            present.wantNoWrite();
        }
    }

    private void dial(@Nullable RequesterLink present) {
        if (present == null) {
            if (clock.mayDial()) {
                link = pair.engine().dial(pair);
                if (link == null) {
                    clock.disconnected(false);
                }
            }
            if (link == null) {
                pumpAt(clock.nextDial());
            }
        }
        clock.arm(link);
    }

    /** Whether messages can leave. */
    boolean isUp() {
        RequesterLink present = link;
        return present != null && present.isUp();
    }

    /** Completes what is due, and fails when that is due. */
    private void settle() {
        if (queue.retire()) {
            clock.progress();
        }
        WorkCompletionStatus failure = queue.dueFailure();
        if (failure != null) {
            fail(failure);
        } else {
            pair.checkDrained();
        }
    }

    /** Before memory goes back: nothing of it is read any more, and no ring used. */
    private void revoke() {
        RequesterLink present = link;
        if (present != null) {
            intake.end(present);
        }
        sharing.revoke();
    }

    private void fail(WorkCompletionStatus status) {
        revoke();
        queue.failOldest(status);
        pair.enterError();
    }

    /** Called by the loop: the socket can be read, written or both. */
    void ready(RequesterLink from, int operations) throws IOException {
        pair.sendLock().lock();
        try {
            if (link != from) {
                from.close();
                return;
            }
            if ((operations & SelectionKey.OP_READ) != 0 && !readAnswers(from)) {
                from.close();
                return;
            }
            if (link == from) {
                pump((operations & SelectionKey.OP_WRITE) != 0);
            }
        } finally {
            pair.sendLock().unlock();
        }
    }

    private boolean readAnswers(RequesterLink from) throws IOException {
        while (true) {
            boolean open = intake.read(from, TURN);
            if (queue.retire()) {
                clock.acknowledged();
            } else if (intake.takeProgress()) {
                clock.progress();
            }
            WorkCompletionStatus refused = answers.takeRefusal();
            if (refused != null) {
                fail(refused);
                return open;
            }
            long resend = answers.takeReceiverNotReady();
            if (resend < 0) {
                settle();
                return open;
            }
            receiverNotReady(resend);
            if (link != from) {
                return open;
            }
        }
    }

    private void receiverNotReady(long index) {
        if (!clock.takeReceiverRetry()) {
            fail(WorkCompletionStatus.RNR_RETRY_EXC_ERR);
            return;
        }
        transmitter.abandonMessage();
        queue.sendIndex = index;
        pumpAt(clock.waitForReceiver(answers.receiverTimer()));
    }

    /** The handshake is done: goes on after what the peer has executed. */
    void linkUp(RequesterLink from, long peerExpects) {
        pair.sendLock().lock();
        try {
            boolean plausible = peerExpects > queue.ackedSequence && peerExpects <= queue.nextSequence;
            if (link != from || !plausible) {
                from.close();
                return;
            }
            from.markUp();
            sharing.connected(from.isLocal());
            clock.connected();
            queue.ackedSequence = peerExpects - 1;
            if (queue.retire()) {
                clock.acknowledged();
            }
            settle();
            pump(true);
        } finally {
            pair.sendLock().unlock();
        }
    }

    /** What the peer must have executed for a resume to be possible. */
    long resumeFrom() {
        return queue.ackedSequence + 1;
    }

    /** The connection is gone, or was never made: everything that is not acknowledged will be sent again. */
    void linkLost(RequesterLink from) {
        pair.sendLock().lock();
        try {
            if (link != from) {
                return;
            }
            boolean retry = clock.disconnected(from.isUp());
            dropLink();
            if (retry || !pair.mayTransmit() || queue.isIdle()) {
                pump(false);
            } else {
                fail(WorkCompletionStatus.RETRY_EXC_ERR);
            }
        } finally {
            pair.sendLock().unlock();
        }
    }

    private void dropLink() {
        revoke();
        RequesterLink old = link;
        link = null;
        if (old != null) {
            old.close();
        }
        writeWanted = false;
        transmitter.reset();
        intake.reset();
        queue.sendIndex = queue.ackIndex;
    }

    /** The acknowledgement timer of this time ran. */
    void timerRan(long at) {
        pair.sendLock().lock();
        try {
            if (!clock.isCurrent(at)) {
                return;
            }
            if (!pair.mayTransmit() || queue.isIdle()) {
                clock.disarm();
                return;
            }
            switch (clock.expire(link, gate.isWaiting())) {
                case WAIT -> clock.rearm(link);
                case RESEND -> {
                    dropLink();
                    pump(false);
                    clock.rearm(link);
                }
                case GIVE_UP -> {
                    clock.disarm();
                    fail(WorkCompletionStatus.RETRY_EXC_ERR);
                }
            }
        } finally {
            pair.sendLock().unlock();
        }
    }

    /** Lets the loop pump at a time. */
    void pumpAt(long nanos) {
        appointment.at(nanos);
    }

    /** Something outside changed that may let it go on. Send lock held. */
    void resume() {
        pump(false);
    }

    /**
     * A region in a shared block is no more. A message from it that is under way is sent again, which fails as it would
     * have without sharing.
     */
    void endSharing(SharedBlock block) {
        pair.sendLock().lock();
        try {
            if (queue.hasOutstanding() && sharing.isShared(block)) {
                dropLink();
                pump(false);
            }
        } finally {
            pair.sendLock().unlock();
        }
    }

    /** Cuts the connection; it will be made again. */
    void cut() {
        RequesterLink present = link;
        if (present != null) {
            present.close();
        }
    }

    /** The queue pair is in error: flushes everything. Send lock held. */
    void enterError() {
        dropLink();
        queue.flush();
        clock.clear();
    }

    /** Drops everything without completions. Send lock held. */
    void reset() {
        dropLink();
        queue.clear();
        clock.clear();
    }

    void free() {
        ring.free();
        transmitter.free();
        intake.free();
    }
}

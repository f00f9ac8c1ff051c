package io.tensorfabric.connection;

import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.WorkCompletions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lane over a queue pair. Senders take turns under a lock, held from begin to submit; the poller takes none. What is
 * outstanding is counted here (work requests), in {@link LaneCredits} (the peer's receives) and in the
 * {@link CompletionBudget} of the completion queue, so that none of the three can overrun.
 */
final class QueuePairLane implements Lane, CompletionTarget {

    private static final Logger LOG = LoggerFactory.getLogger(QueuePairLane.class);

    /** Work requests, and send buffers, beyond those of users, for the connection's own work. */
    static final int INTERNAL_REQUESTS = 8;

    /** Work requests beyond those: the marker that tells that the queue has drained. */
    static final int MARKER_REQUESTS = 1;

    private final FabricConnection connection;
    private final int index;
    private final LanePurpose purpose;
    private final QueuePair queuePair;
    private final int number;
    private final CompletionPoller poller;
    private final CompletionBudget budget;
    private final int maxRequests;
    private final long target;
    private final ReentrantLock lock = new ReentrantLock();
    private final SendSlots slots;
    private final SendBuffers buffers;
    private final LaneCredits credits;
    private final LaneTransmission transmission;
    private final SendRequests marker = SendRequests.allocate(1);
    private final AtomicInteger room;
    private final AtomicBoolean waitsForBudget = new AtomicBoolean();
    private final Runnable budgetFreed = this::budgetFreed;
    private long sequenceOut;
    private long sequenceIn;
    private boolean open = true;
    private volatile boolean wanted;
    private volatile boolean drained;
    private @Nullable Runnable onDrained;

    QueuePairLane(
            FabricConnection connection,
            int index,
            LanePurpose purpose,
            QueuePair queuePair,
            CompletionPoller poller,
            SendBuffers buffers,
            int depth,
            int receives) {
        this.connection = connection;
        this.index = index;
        this.purpose = purpose;
        this.queuePair = queuePair;
        this.number = queuePair.number();
        this.poller = poller;
        this.budget = poller.sendBudget();
        this.buffers = buffers;
        this.credits = new LaneCredits(receives);
        this.maxRequests = Math.min(depth, budget.capacity() / 2);
        int capacity = depth + INTERNAL_REQUESTS;
        this.room = new AtomicInteger(capacity);
        this.slots = new SendSlots(capacity);
        int maxInline = queuePair.capabilities().maxInlineData();
        this.transmission = new LaneTransmission(this, buffers, capacity, maxInline);
        this.target = poller.router().register(this);
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public LanePurpose purpose() {
        return purpose;
    }

    /** Queue pair number, also after the queue pair is gone. */
    int number() {
        return number;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Number that the peer's next message on this lane has; poller thread. */
    long nextSequence() {
        return sequenceIn++;
    }

    SendSlots slots() {
        return slots;
    }

    LaneCredits credits() {
        return credits;
    }

    int userTransmissions() {
        return slots.userTransmissions();
    }

    @Override
    public @Nullable Transmission begin(int requests, boolean withMessage) {
        if (requests < 1 || requests > maxRequests) {
            throw new IllegalArgumentException("A transmission on lane " + index + " has 1 to " + maxRequests
                    + " requests, not " + requests + ": send more of them, or raise depth and completion entries");
        }
        return connection.takesWork() ? begin(requests, withMessage, LaneCredits.KEPT_FROM_USERS, false) : null;
    }

    /** Begins work of the connection itself, in any state; {@code null} if it cannot now, and nobody calls back. */
    @Nullable LaneTransmission beginInternal(boolean withMessage, int creditsToKeep) {
        return begin(1, withMessage, creditsToKeep, true);
    }

    private @Nullable LaneTransmission begin(int requests, boolean withCredit, int creditsToKeep, boolean internal) {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException("This thread has a transmission open on lane " + index + " already");
        }
        lock.lock();
        boolean begun = false;
        try {
            begun = open
                    && (internal || connection.takesWork())
                    && (acquire(requests, withCredit, creditsToKeep, internal)
                            || acquireWanted(requests, withCredit, creditsToKeep, internal));
            return begun ? transmission.begin(target, slots.next(), requests, withCredit, internal) : null;
        } finally {
            if (!begun) {
                lock.unlock();
            }
        }
    }

    /** Refused: says so, then tries once more, since something may have been freed before it was said. */
    private boolean acquireWanted(int requests, boolean withCredit, int creditsToKeep, boolean internal) {
        if (internal) {
            return false;
        }
        wanted = true;
        if (!acquire(requests, withCredit, creditsToKeep, false)) {
            return false;
        }
        wanted = false;
        return true;
    }

    private boolean acquire(int requests, boolean withCredit, int creditsToKeep, boolean internal) {
        int kept = internal ? 0 : INTERNAL_REQUESTS;
        if (room.get() - requests < kept) {
            return false;
        }
        if (withCredit && (buffers.available() <= kept || credits.available() <= creditsToKeep)) {
            return false;
        }
        if (!budget.tryAcquire(requests)) {
            if (waitsForBudget.compareAndSet(false, true)) {
                budget.await(budgetFreed);
            }
            return false;
        }
        room.addAndGet(-requests);
        if (withCredit) {
            credits.take();
        }
        return true;
    }

    private void budgetFreed() {
        waitsForBudget.set(false);
        wake();
    }

    /** Something was freed: tells a user who was refused, once. */
    void wake() {
        if (!wanted) {
            return;
        }
        if (poller.isPollerThread()) {
            wanted = false;
            connection.calls().ready(this);
        } else {
            poller.execute(this::wake);
        }
    }

    /** Called by the transmission, under the lock, which it releases before it gives back: that may call another user. */
    void submit(LaneTransmission sealed, TransmissionListener listener, long token) {
        SendRequests requests = sealed.requests();
        int unusedRequests;
        boolean unusedCredit;
        try {
            int buffer = -1;
            if (sealed.hasMessage()) {
                sealed.seal(credits.takeOwed(), sequenceOut++);
                buffer = buffers.next();
                buffers.take();
            } else {
                sealed.seal(0, 0);
            }
            slots.post(listener, token, requests.size(), buffer, sealed.isInternal());
            unusedRequests = sealed.unusedRequests();
            unusedCredit = sealed.hasUnusedCredit();
            post(requests);
        } finally {
            lock.unlock();
        }
        giveBack(unusedRequests, unusedCredit);
    }

    /** A refusal leaves the transmission posted: it ends with the others when the connection is torn down. */
    private void post(SendRequests requests) {
        try {
            int taken = queuePair.postSend(requests);
            if (taken < requests.size()) {
                connection.fail(connection.lost(
                        "the send queue of lane " + index + " took only " + taken + " of " + requests.size()
                                + " work requests",
                        null));
            }
        } catch (VerbsException | IllegalStateException e) {
            connection.fail(connection.lost("lane " + index + " does not take work: " + e.getMessage(), e));
        }
    }

    void cancel(LaneTransmission cancelled) {
        int requests = cancelled.reservedRequests();
        boolean credit = cancelled.hasCredit();
        lock.unlock();
        giveBack(requests, credit);
    }

    private void giveBack(int requests, boolean credit) {
        if (credit) {
            credits.giveBack();
        }
        if (requests > 0) {
            room.addAndGet(requests);
            budget.release(requests);
        }
        wake();
    }

    @Override
    public void completed(int slotAndLast, int status, WorkCompletions completions, int i) {
        if (slotAndLast == WorkIds.DRAIN_MARKER) {
            endAll();
            return;
        }
        int slot = slotAndLast & ~WorkIds.LAST;
        if (slot >= slots.count() || !slots.isPosted(slot)) {
            LOG.debug("Lane {} of {}: a completion of a transmission that has ended", index, connection.id());
            return;
        }
        if (status != 0) {
            int vendorError = completions.vendorError(i);
            slots.noteError(slot, status, vendorError);
            connection.workFailed("a work request on lane " + index, status, vendorError);
        }
        if ((slotAndLast & WorkIds.LAST) != 0) {
            end(slot);
        }
    }

    private void end(int slot) {
        int status = slots.error(slot);
        int vendorError = slots.vendorError(slot);
        long token = slots.token(slot);
        int requests = slots.requests(slot);
        int buffer = slots.buffer(slot);
        boolean internal = slots.isInternal(slot);
        TransmissionListener listener = slots.end(slot);
        if (listener == null) {
            return;
        }
        if (status == 0 && !internal) {
            connection.use().mark();
        }
        if (buffer >= 0) {
            buffers.giveBack(buffer);
        }
        slots.giveBack(slot);
        room.addAndGet(requests);
        budget.release(requests);
        try {
            listener.completed(this, token, WorkCompletionStatus.ofCode(status), vendorError);
        } catch (Throwable t) {
            LOG.error("Lane {} of {}: a transmission listener failed", index, connection.id(), t);
        }
        wake();
        returnCredits();
    }

    /** Returns credits by a message of their own when many are owed; refused, it is tried again at the next occasion. */
    void returnCredits() {
        if (!credits.isReturnDue()) {
            return;
        }
        LaneTransmission message = beginInternal(true, 0);
        if (message != null) {
            message.open(MessageTypes.CREDIT);
            message.submit(InternalWork.IGNORED, 0);
        }
    }

    /** Ends what is left: the device is done with it, since the queue has drained or is destroyed. */
    private void endAll() {
        for (int slot = 0; slot < slots.count(); slot++) {
            if (slots.isPosted(slot)) {
                slots.noteError(slot, WorkCompletionStatus.WR_FLUSH_ERR.code(), 0);
                end(slot);
            }
        }
        drained = true;
        Runnable callback = onDrained;
        if (callback != null) {
            callback.run();
        }
    }

    /**
     * Takes no more work. The queue pair is in ERR.
     *
     * @return false if a sender held the lane all the time
     */
    boolean shut(Duration timeout) {
        boolean locked = false;
        try {
            locked = lock.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (locked) {
            open = false;
            lock.unlock();
        }
        return locked;
    }

    /** Posts the marker that is flushed after everything else; the callback comes on the poller thread. */
    boolean drain(Runnable callback) {
        onDrained = callback;
        marker.clear()
                .add(WorkIds.of(target, WorkIds.DRAIN_MARKER), Opcode.SEND)
                .flags(SendFlag.SIGNALED);
        try {
            return queuePair.postSend(marker) == 1;
        } catch (VerbsException | IllegalStateException e) {
            LOG.debug("Lane {} of {}: cannot be drained", index, connection.id(), e);
            return false;
        }
    }

    boolean isDrained() {
        return drained;
    }

    /** No more completions are taken. */
    void unregister() {
        poller.router().unregister(target);
    }

    /** The queue pair is destroyed, and the poller has left this lane. */
    void finish(boolean releaseBuffers) {
        onDrained = null;
        endAll();
        marker.close();
        if (releaseBuffers) {
            transmission.close();
            buffers.close();
        } else {
            LOG.error("Lane {} of {}: a sender never submitted; its buffers stay allocated", index, connection.id());
        }
    }
}

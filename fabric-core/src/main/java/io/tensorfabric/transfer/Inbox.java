package io.tensorfabric.transfer;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tensors on their way to listeners. Each sender has a queue of its own, in the order of arrival, and the threads take
 * turns between senders, of which none may hold more than some of them: a sender that floods, or whose tensors keep their
 * listener busy, holds up nobody else. A limited number of a sender's tensors is accepted; those beyond wait with their
 * room taken, unanswered, so that the sender feels it; those beyond a second limit are refused. Thread-safe, never blocks.
 */
final class Inbox {

    private static final Logger log = LoggerFactory.getLogger(Inbox.class);

    /** Far beyond what one sender has in flight; only a flood of empty tensors, which take no room, gets here. */
    private static final int MAX_PARKED = 1 << 16;

    /** Senders that may be kept though nothing of theirs is under way: most come again, and soon. */
    private static final int MAX_IDLE = 64;

    /** For senders. */
    static final String SHUTTING_DOWN = "the receiver is shutting down";

    private final ExecutorService threads;
    private final int threadCount;
    private final int threadsPerSender;
    private final int limit;
    private final Runnable worker = this::work;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();

    /** Senders of which a tensor is under way, and some of which one was. */
    private final Map<String, Sender> senders = new HashMap<>();

    /** Senders whose turn comes: something of theirs waits, and they may have another thread. */
    private final ArrayDeque<Sender> turns = new ArrayDeque<>();

    private int workers;
    private int underWay;
    private boolean closed;
    private @Nullable InboundTransfer first;

    /** What waits and runs of one sender. Guarded by the lock. */
    private static final class Sender {

        private final String nodeId;
        private final ArrayDeque<InboundTransfer> accepted = new ArrayDeque<>();
        private final ArrayDeque<InboundTransfer> parked = new ArrayDeque<>();
        private int running;
        private int putOff;
        private boolean inTurn;

        Sender(String nodeId) {
            this.nodeId = nodeId;
        }

        boolean isOver() {
            return running == 0 && putOff == 0 && accepted.isEmpty() && parked.isEmpty();
        }
    }

    /** @param threads at least {@code threadCount} of them */
    Inbox(ExecutorService threads, int threadCount, int threadsPerSender, int limit) {
        this.threads = threads;
        this.threadCount = threadCount;
        this.threadsPerSender = Math.min(threadCount, threadsPerSender);
        this.limit = limit;
    }

    /** Takes in an arrived tensor; false if there are far too many of its sender. */
    boolean offer(InboundTransfer transfer) {
        boolean start = false;
        boolean accepted = false;
        boolean late;
        lock.lock();
        try {
            late = closed;
            if (!late) {
                Sender sender = senders.computeIfAbsent(transfer.peerNodeId(), Sender::new);
                boolean full = sender.accepted.size() >= limit;
                if ((full && sender.parked.size() >= MAX_PARKED) || sender.putOff >= MAX_PARKED) {
                    return false;
                }
                link(transfer);
                accepted = !full;
                (full ? sender.parked : sender.accepted).add(transfer);
                start = giveTurn(sender) && claimWorker();
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            transfer.refuse(RejectCode.SHUTTING_DOWN, SHUTTING_DOWN);
            return true;
        }
        if (accepted) {
            transfer.admitted();
        }
        if (start) {
            startWorker();
        }
        return true;
    }

    /** Lets a sender have a thread more, if it may and has something for it. */
    private boolean giveTurn(Sender sender) {
        if (sender.inTurn || sender.accepted.isEmpty() || sender.running >= threadsPerSender) {
            return false;
        }
        sender.inTurn = true;
        turns.add(sender);
        return true;
    }

    private boolean claimWorker() {
        if (workers >= threadCount) {
            return false;
        }
        workers++;
        return true;
    }

    private void startWorker() {
        try {
            threads.execute(worker);
        } catch (RejectedExecutionException e) {
            log.debug("Listeners have ended; what waits for them is refused", e);
        }
    }

    /** On a listener thread: serves one tensor after the other, of one sender after the other. */
    private void work() {
        InboundTransfer transfer = next(null);
        while (transfer != null) {
            try {
                transfer.run();
            } catch (Throwable e) {
                // A receiver's own failures are answered within; this thread is for others' tensors too.
                log.error("{} could not be handed to its listener", transfer, e);
            }
            transfer = next(transfer);
        }
    }

    /** Notes the end of one, and takes the next one; {@code null} if this thread is not needed any more. */
    private @Nullable InboundTransfer next(@Nullable InboundTransfer ended) {
        InboundTransfer taken;
        InboundTransfer admitted = null;
        InboundTransfer late = null;
        boolean start = false;
        lock.lock();
        try {
            if (ended != null) {
                late = closed && ended.goesAgain ? ended : null;
                ended(ended);
            }
            Sender sender = closed ? null : turns.poll();
            if (sender == null) {
                workers--;
                return null;
            }
            sender.inTurn = false;
            sender.running++;
            taken = sender.accepted.remove();
            admitted = sender.accepted.size() < limit ? sender.parked.poll() : null;
            if (admitted != null) {
                sender.accepted.add(admitted);
            }
            start = giveTurn(sender) && claimWorker();
            if (ended != null) {
                // A listener may have left its thread interrupted: that is not for the next one.
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
            if (late != null) {
                late.refuse(RejectCode.SHUTTING_DOWN, SHUTTING_DOWN);
            }
        }
        if (admitted != null) {
            admitted.admitted();
        }
        if (start) {
            startWorker();
        }
        return taken;
    }

    private void ended(InboundTransfer transfer) {
        Sender sender = senders.get(transfer.peerNodeId());
        if (transfer.goesAgain && sender != null && !closed) {
            transfer.goesAgain = false;
            sender.running--;
            sender.accepted.addFirst(transfer);
            giveTurn(sender);
            return;
        }
        transfer.returned = true;
        boolean putOff = transfer.isPutOff() || transfer.isHeld();
        if (!putOff) {
            unlink(transfer);
        }
        if (sender != null) {
            sender.running--;
            sender.putOff += putOff ? 1 : 0;
            giveTurn(sender);
            forgetIfOver(sender);
        }
    }

    private void forgetIfOver(Sender sender) {
        if (senders.size() > MAX_IDLE && sender.isOver()) {
            senders.remove(sender.nodeId);
        }
    }

    /** Tensors that waited for each other go to their listeners, before what waits for its first turn. */
    void again(List<InboundTransfer> group) {
        List<InboundTransfer> late = new ArrayList<>();
        boolean start = false;
        lock.lock();
        try {
            for (int i = group.size() - 1; i >= 0; i--) {
                InboundTransfer transfer = group.get(i);
                Sender sender = senders.get(transfer.peerNodeId());
                transfer.held(false);
                if (closed || sender == null) {
                    late.add(transfer);
                } else if (transfer.returned) {
                    transfer.returned = false;
                    sender.putOff--;
                    sender.accepted.addFirst(transfer);
                    start |= giveTurn(sender) && claimWorker();
                } else {
                    transfer.goesAgain = true;
                }
            }
        } finally {
            lock.unlock();
        }
        late.forEach(transfer -> transfer.dropped(RejectCode.SHUTTING_DOWN, SHUTTING_DOWN));
        if (start) {
            startWorker();
        }
    }

    /** An answer that was put off has been given, or what waited for others of its group waits no longer. */
    void answered(InboundTransfer transfer) {
        lock.lock();
        try {
            // Not if its thread still has it, or saw the answer.
            if (!transfer.returned || !transfer.linked) {
                return;
            }
            unlink(transfer);
            Sender sender = senders.get(transfer.peerNodeId());
            if (sender != null) {
                sender.putOff--;
                forgetIfOver(sender);
            }
        } finally {
            lock.unlock();
        }
    }

    private void drop(InboundTransfer transfer) {
        transfer.refuse(RejectCode.SHUTTING_DOWN, SHUTTING_DOWN);
        lock.lock();
        try {
            unlink(transfer);
        } finally {
            lock.unlock();
        }
    }

    private void link(InboundTransfer transfer) {
        transfer.next = first;
        if (first != null) {
            first.previous = transfer;
        }
        first = transfer;
        transfer.linked = true;
        underWay++;
    }

    private void unlink(InboundTransfer transfer) {
        if (transfer.next != null) {
            transfer.next.previous = transfer.previous;
        }
        if (transfer.previous != null) {
            transfer.previous.next = transfer.next;
        } else {
            first = transfer.next;
        }
        transfer.next = null;
        transfer.previous = null;
        transfer.linked = false;
        underWay--;
        if (underWay == 0) {
            idle.signalAll();
        }
    }

    /** Appends those under way, newest first. */
    void copyTo(List<TransferStatus> target) {
        lock.lock();
        try {
            for (InboundTransfer transfer = first; transfer != null; transfer = transfer.next) {
                target.add(transfer.status());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether tensors of a link are under way. */
    boolean holdsSomeOf(PeerLink link) {
        lock.lock();
        try {
            for (InboundTransfer transfer = first; transfer != null; transfer = transfer.next) {
                if (transfer.isFrom(link)) {
                    return true;
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until none is under way, at most the given time; true if there is none. */
    boolean awaitIdle(Duration timeout) throws InterruptedException {
        long left = timeout.toNanos();
        lock.lock();
        try {
            while (underWay > 0 && left > 0) {
                left = idle.awaitNanos(left);
            }
            return underWay == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the threads: running listeners are interrupted, what waits is refused. */
    void close() {
        List<InboundTransfer> waiting = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            for (Sender sender : senders.values()) {
                waiting.addAll(sender.accepted);
                waiting.addAll(sender.parked);
                sender.accepted.clear();
                sender.parked.clear();
            }
            turns.clear();
        } finally {
            lock.unlock();
        }
        waiting.forEach(this::drop);
        threads.shutdownNow();
    }

    /** Waits for interrupted listeners to end; true if they did. */
    boolean awaitEnd(Duration timeout) throws InterruptedException {
        return threads.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }
}

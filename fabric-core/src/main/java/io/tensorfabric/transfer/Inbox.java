package io.tensorfabric.transfer;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tensors on their way to listeners, in the order of arrival. A limited number is accepted; those beyond wait with their
 * room taken, unanswered, so that senders feel it; those beyond a second limit are refused. Thread-safe, never blocks.
 */
final class Inbox {

    /** Far beyond what one sender has in flight; only a flood of empty tensors, which take no room, gets here. */
    private static final int MAX_PARKED = 1 << 16;

    private final ExecutorService threads;
    private final int limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private final ArrayDeque<InboundTransfer> parked = new ArrayDeque<>();
    private int accepted;
    private int underWay;
    private @Nullable InboundTransfer first;

    Inbox(ExecutorService threads, int limit) {
        this.threads = threads;
        this.limit = limit;
    }

    /** Takes in an arrived tensor; false if there are far too many. */
    boolean offer(InboundTransfer transfer) {
        lock.lock();
        try {
            boolean full = accepted >= limit;
            if (full && parked.size() >= MAX_PARKED) {
                return false;
            }
            link(transfer);
            if (full) {
                parked.add(transfer);
                return true;
            }
            accepted++;
        } finally {
            lock.unlock();
        }
        admit(transfer);
        return true;
    }

    private void admit(InboundTransfer transfer) {
        transfer.admitted();
        try {
            threads.execute(transfer);
        } catch (RejectedExecutionException e) {
            drop(transfer);
        }
    }

    private void drop(InboundTransfer transfer) {
        transfer.refuse(RejectCode.SHUTTING_DOWN, "the receiver is shutting down");
        ended(transfer);
    }

    /** A listener thread took one: there is a place for the next. */
    void started() {
        InboundTransfer next;
        lock.lock();
        try {
            accepted--;
            next = parked.poll();
            if (next != null) {
                accepted++;
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            admit(next);
        }
    }

    void ended(InboundTransfer transfer) {
        lock.lock();
        try {
            unlink(transfer);
            if (underWay == 0) {
                idle.signalAll();
            }
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
        underWay--;
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

    /** Waits until none is under way, at most the given time. */
    void awaitIdle(Duration timeout) throws InterruptedException {
        long left = timeout.toNanos();
        lock.lock();
        try {
            while (underWay > 0 && left > 0) {
                left = idle.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the threads: running listeners are interrupted, what waits is refused. */
    void close() {
        List<InboundTransfer> waiting;
        lock.lock();
        try {
            waiting = new ArrayList<>(parked);
            parked.clear();
        } finally {
            lock.unlock();
        }
        waiting.forEach(this::drop);
        for (Runnable queued : threads.shutdownNow()) {
            if (queued instanceof InboundTransfer transfer) {
                drop(transfer);
            }
        }
    }

    /** Waits for interrupted listeners to end; true if they did. */
    boolean awaitEnd(Duration timeout) throws InterruptedException {
        return threads.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }
}

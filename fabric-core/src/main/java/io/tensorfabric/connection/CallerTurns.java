package io.tensorfabric.connection;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Whose turn it is to poll: the poller's own thread, or a caller's that waits for what it posted. Thread-safe. */
final class CallerTurns {

    /** While callers poll, the poller's thread looks now and then whether they still do; so nobody need wake it. */
    private static final long NAP_NANOS = 50_000;

    private final ReentrantLock turn = new ReentrantLock();

    private final AtomicInteger callers = new AtomicInteger();

    private final long spinNanos;

    private final Supplier<Work> worker;

    private final Attendance attendance;

    /** What a look at the queues came to. */
    enum Work {
        NOTHING,
        DONE,
        /** Nobody may look any more. */
        OVER
    }

    /** Says that this thread begins or ends to look after the device. */
    interface Attendance {
        void attend(boolean polling);
    }

    /** @param spinNanos how long a caller polls with nothing to do */
    CallerTurns(long spinNanos, Supplier<Work> worker, Attendance attendance) {
        this.spinNanos = spinNanos;
        this.worker = worker;
        this.attendance = attendance;
    }

    boolean isMine() {
        return turn.isHeldByCurrentThread();
    }

    void take() {
        turn.lock();
    }

    void give() {
        turn.unlock();
    }

    /** Pauses for a moment if callers poll; whether they do. */
    boolean yieldToCallers() {
        boolean yielded = callers.get() > 0;
        if (yielded) {
            LockSupport.parkNanos(NAP_NANOS);
        }
        return yielded;
    }

    /** Works until something is so, or there is nothing to do for some time, or the time is over; whether it is so. */
    boolean pollUntil(BooleanSupplier done, long nanos) {
        if (spinNanos == 0) {
            return done.getAsBoolean();
        }
        long start = System.nanoTime();
        callers.incrementAndGet();
        try {
            while (!done.getAsBoolean() && !isOver(start, Math.min(nanos, spinNanos))) {
                if (turn.tryLock()) {
                    pollInTurn(done, start, nanos);
                    return done.getAsBoolean();
                }
                Thread.onSpinWait();
            }
            return done.getAsBoolean();
        } finally {
            callers.decrementAndGet();
        }
    }

    private void pollInTurn(BooleanSupplier done, long start, long nanos) {
        attendance.attend(true);
        try {
            long idleSince = start;
            while (!done.getAsBoolean() && !isOver(start, nanos) && !isOver(idleSince, spinNanos)) {
                Work work = worker.get();
                if (work == Work.DONE) {
                    idleSince = System.nanoTime();
                } else if (work == Work.OVER) {
                    return;
                } else {
                    Thread.onSpinWait();
                }
            }
        } finally {
            try {
                attendance.attend(false);
            } finally {
                turn.unlock();
            }
        }
    }

    private static boolean isOver(long since, long nanos) {
        return System.nanoTime() - since >= nanos || Thread.currentThread().isInterrupted();
    }
}

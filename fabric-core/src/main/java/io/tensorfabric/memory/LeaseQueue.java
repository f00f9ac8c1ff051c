package io.tensorfabric.memory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for a buffer, first come, first served: only the first is woken when something changes, so that no
 * later and smaller request can take the memory that a large one waits for. Guarded by the lock of the pool.
 */
final class LeaseQueue {

    /** One that waits. */
    static final class Waiter {

        private final Condition condition;

        private boolean woken = true;

        private Waiter(Condition condition) {
            this.condition = condition;
        }

        /**
         * Waits until woken; returns at once if that happened since the last call.
         *
         * @return the nanoseconds that are left, zero or less if the time is over
         */
        long await(long nanos) throws InterruptedException {
            long left = nanos;
            while (!woken && left > 0) {
                left = condition.awaitNanos(left);
            }
            woken = false;
            return left;
        }

        private void wake() {
            woken = true;
            condition.signal();
        }
    }

    private final Deque<Waiter> waiters = new ArrayDeque<>();

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    Waiter join(Lock lock) {
        Waiter waiter = new Waiter(lock.newCondition());
        waiters.add(waiter);
        return waiter;
    }

    void leave(Waiter waiter) {
        waiters.remove(waiter);
        wakeFirst();
    }

    boolean isFirst(Waiter waiter) {
        return waiters.peek() == waiter;
    }

    void wakeFirst() {
        @Nullable Waiter first = waiters.peek();
        if (first != null) {
            first.wake();
        }
    }

    void wakeAll() {
        waiters.forEach(Waiter::wake);
    }
}

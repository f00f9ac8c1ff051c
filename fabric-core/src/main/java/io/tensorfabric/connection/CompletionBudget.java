package io.tensorfabric.connection;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the entries of a completion queue that are spoken for, so that it cannot overrun: every work request holds one
 * from its posting until it is known to have no completion left to come. Thread-safe; allocates only when refused.
 */
final class CompletionBudget {

    private final int capacity;

    private final AtomicInteger used = new AtomicInteger();

    private final AtomicInteger peak = new AtomicInteger();

    private final Queue<Runnable> waiters = new ConcurrentLinkedQueue<>();

    CompletionBudget(int capacity) {
        this.capacity = capacity;
    }

    int capacity() {
        return capacity;
    }

    int used() {
        return used.get();
    }

    int peak() {
        return peak.get();
    }

    boolean tryAcquire(int entries) {
        int now = used.get();
        while (now + entries <= capacity) {
            if (used.compareAndSet(now, now + entries)) {
                notePeak(now + entries);
                return true;
            }
            now = used.get();
        }
        return false;
    }

    private void notePeak(int value) {
        int highest = peak.get();
        while (value > highest && !peak.compareAndSet(highest, value)) {
            highest = peak.get();
        }
    }

    void release(int entries) {
        used.addAndGet(-entries);
        wakeWaiters();
    }

    /** Calls once, at the next release. A caller must try again after this, lest a release came in between. */
    void await(Runnable waiter) {
        waiters.add(waiter);
    }

    /** Only those that wait now: whoever is refused again queues for the next release. */
    private void wakeWaiters() {
        if (waiters.isEmpty()) {
            return;
        }
        int count = waiters.size();
        for (int i = 0; i < count; i++) {
            Runnable waiter = waiters.poll();
            if (waiter == null) {
                return;
            }
            waiter.run();
        }
    }
}

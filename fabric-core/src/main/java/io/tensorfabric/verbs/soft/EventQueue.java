package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.CompletionQueue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The device's side of a completion channel. Thread-safe; its lock is taken last. */
final class EventQueue {

    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    private final ArrayDeque<CompletionRing> events = new ArrayDeque<>();

    private boolean woken;

    private boolean closed;

    void add(CompletionRing ring) {
        lock.lock();
        try {
            events.add(ring);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void forget(CompletionRing ring) {
        lock.lock();
        try {
            events.removeIf(event -> event == ring);
        } finally {
            lock.unlock();
        }
    }

    void wakeUp() {
        lock.lock();
        try {
            woken = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Nullable CompletionQueue await(Duration timeout) {
        lock.lock();
        try {
            long left = saturatedNanos(timeout);
            while (true) {
                if (woken || closed) {
                    woken = false;
                    return null;
                }
                CompletionRing ring = events.poll();
                CompletionQueue queue = ring == null ? null : ring.handle();
                if (queue != null) {
                    return queue;
                }
                if (ring == null) {
                    if (left <= 0) {
                        return null;
                    }
                    left = changed.awaitNanos(left);
                }
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Nanoseconds of a duration, the largest number when it has more. */
    static long saturatedNanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration);
    }
}

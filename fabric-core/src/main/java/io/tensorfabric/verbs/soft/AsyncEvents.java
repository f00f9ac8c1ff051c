package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.AsyncEvent;
import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.VerbsResource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asynchronous events that wait to be taken. Thread-safe; its lock is taken last. */
final class AsyncEvents {

    private static final Logger log = LoggerFactory.getLogger(AsyncEvents.class);

    private static final int CAPACITY = 4096;

    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();

    private boolean closed;

    void add(AsyncEventType type, @Nullable VerbsResource element, int port) {
        lock.lock();
        try {
            if (events.size() == CAPACITY) {
                log.warn("{} events wait and nobody takes them: the oldest is dropped", CAPACITY);
                events.remove();
            }
            events.add(new AsyncEvent(type, element, port));
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    @Nullable AsyncEvent await(Duration timeout) {
        lock.lock();
        try {
            long left = EventQueue.saturatedNanos(timeout);
            while (events.isEmpty() && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            return events.poll();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets events of an object that is going away, which nobody could use. */
    @SuppressWarnings("ReferenceEquality") // resources are who they are
    void forget(VerbsResource element) {
        lock.lock();
        try {
            events.removeIf(event -> event.element() == element);
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
}

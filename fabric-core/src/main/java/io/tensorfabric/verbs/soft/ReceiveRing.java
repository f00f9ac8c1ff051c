package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.VerbsException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A receive queue, of one queue pair or shared. Thread-safe; only completion queues are locked after it. */
final class ReceiveRing {

    private final ReentrantLock lock = new ReentrantLock();

    private final int capacity;

    private final int maxElements;

    private final String call;

    private final long memory;

    private long head;

    private long tail;

    private int limit;

    private Runnable limitReached = () -> {};

    /** Where posts go at once while the queue pair is in error. */
    private @Nullable LongConsumer flushing;

    private boolean freed;

    ReceiveRing(int capacity, int maxElements, String call) {
        this.capacity = capacity;
        this.maxElements = maxElements;
        this.call = call;
        this.memory = OffHeap.allocate((long) Math.max(1, capacity) * ReceiveRequests.STRIDE, 64);
    }

    void onLimitReached(Runnable action) {
        limitReached = action;
    }

    int capacity() {
        return capacity;
    }

    int post(ReceiveRequests requests) {
        lock.lock();
        try {
            int size = requests.size();
            for (int i = 0; i < size; i++) {
                long request = requests.address() + (long) i * ReceiveRequests.STRIDE;
                check(request, i);
                if (flushing != null) {
                    flushing.accept(OffHeap.getLong(request + ReceiveRequests.OFFSET_ID));
                } else if (tail - head == capacity) {
                    return i;
                } else {
                    OffHeap.copy(request, slot(tail), ReceiveRequests.STRIDE);
                    tail++;
                }
            }
            return size;
        } finally {
            lock.unlock();
        }
    }

    private void check(long request, int accepted) {
        if (freed) {
            throw new IllegalStateException("The receive queue is closed");
        }
        int elements = OffHeap.getInt(request + ReceiveRequests.OFFSET_ELEMENT_COUNT);
        if (elements < 0 || elements > maxElements) {
            throw new VerbsException(
                    call,
                    Errno.EINVAL,
                    "a receive has " + elements + " elements and the queue was made for " + maxElements,
                    accepted);
        }
    }

    private long slot(long index) {
        return memory + (index % capacity) * ReceiveRequests.STRIDE;
    }

    /** Moves the oldest receive to {@code target}; {@code false} when there is none. */
    boolean take(long target) {
        boolean reached = false;
        lock.lock();
        try {
            if (head == tail || freed) {
                return false;
            }
            OffHeap.copy(slot(head), target, ReceiveRequests.STRIDE);
            head++;
            if (tail - head < limit) {
                limit = 0;
                reached = true;
            }
        } finally {
            lock.unlock();
        }
        if (reached) {
            limitReached.run();
        }
        return true;
    }

    void armLimit(int value) {
        lock.lock();
        try {
            limit = value;
        } finally {
            lock.unlock();
        }
    }

    /** Flushes what is posted, and from now on what will be, to {@code sink} with the id of each. */
    void flush(LongConsumer sink) {
        lock.lock();
        try {
            flushing = sink;
            for (; head < tail; head++) {
                sink.accept(OffHeap.getLong(slot(head) + ReceiveRequests.OFFSET_ID));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Drops everything and takes posts again. */
    void clear() {
        lock.lock();
        try {
            flushing = null;
            head = tail;
        } finally {
            lock.unlock();
        }
    }

    void free() {
        lock.lock();
        try {
            freed = true;
            head = tail;
            OffHeap.free(memory);
        } finally {
            lock.unlock();
        }
    }
}

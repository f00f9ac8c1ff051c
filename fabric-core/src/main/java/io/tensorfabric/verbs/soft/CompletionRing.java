package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.WorkCompletions;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The device's side of a completion queue: a ring of packed completions. Thread-safe; its lock is taken last. */
final class CompletionRing {

    private enum Armed {
        NO,
        ANY,
        SOLICITED
    }

    /** A completion that a fault keeps back. */
    private record Kept(
            long dueNanos,
            long id,
            WorkCompletionStatus status,
            int opcode,
            int byteLength,
            int immediate,
            int queuePair,
            int sourceQueuePair,
            int flags,
            boolean solicited) {}

    private final ReentrantLock lock = new ReentrantLock();

    private final Engine engine;

    private final int capacity;

    private final @Nullable EventQueue channel;

    private final long memory;

    private final ArrayDeque<Kept> kept = new ArrayDeque<>();

    private volatile long head;

    private volatile long tail;

    private volatile boolean overrun;

    private volatile boolean keeping;

    private boolean freed;

    private Armed armed = Armed.NO;

    /** Threads that poll all the time. */
    private int attendants;

    /** Whether an event would have been due meanwhile. */
    private boolean owed;

    private WeakReference<CompletionQueue> handle = new WeakReference<>(null);

    CompletionRing(Engine engine, int capacity, @Nullable EventQueue channel) {
        this.engine = engine;
        this.capacity = capacity;
        this.channel = channel;
        this.memory = OffHeap.allocate((long) capacity * WorkCompletions.STRIDE, 64);
    }

    void handle(CompletionQueue value) {
        handle = new WeakReference<>(value);
    }

    @Nullable CompletionQueue handle() {
        return handle.get();
    }

    int capacity() {
        return capacity;
    }

    @Nullable EventQueue channel() {
        return channel;
    }

    /** Adds a completion, or overruns. */
    void push(
            long id,
            WorkCompletionStatus status,
            int opcode,
            int byteLength,
            int immediate,
            int queuePair,
            int sourceQueuePair,
            int flags,
            boolean solicited) {
        lock.lock();
        try {
            if (freed || overrun) {
                return;
            }
            SoftFaults faults = engine.faults();
            long delay = faults.completionDelayNanos();
            if (delay > 0 || faults.completionsHeld() || !kept.isEmpty()) {
                long due = System.nanoTime() + delay;
                kept.add(new Kept(
                        due, id, status, opcode, byteLength, immediate, queuePair, sourceQueuePair, flags, solicited));
                keeping = true;
                engine.scheduleRelease(this, due);
                return;
            }
            append(id, status, opcode, byteLength, immediate, queuePair, sourceQueuePair, flags, solicited);
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the lock is held
    private void append(
            long id,
            WorkCompletionStatus status,
            int opcode,
            int byteLength,
            int immediate,
            int queuePair,
            int sourceQueuePair,
            int flags,
            boolean solicited) {
        if (tail - head == capacity) {
            overrun = true;
            engine.completionQueueOverrun(this);
            return;
        }
        long entry = entry(tail);
        OffHeap.putLong(entry + WorkCompletions.OFFSET_ID, id);
        OffHeap.putInt(entry + WorkCompletions.OFFSET_STATUS, status.code());
        OffHeap.putInt(entry + WorkCompletions.OFFSET_OPCODE, opcode);
        OffHeap.putInt(entry + WorkCompletions.OFFSET_VENDOR_ERROR, 0);
        OffHeap.putInt(entry + WorkCompletions.OFFSET_BYTE_LENGTH, byteLength);
        OffHeap.putInt(entry + WorkCompletions.OFFSET_IMMEDIATE, immediate);
        OffHeap.putInt(entry + WorkCompletions.OFFSET_QP_NUMBER, queuePair);
        OffHeap.putInt(entry + WorkCompletions.OFFSET_SOURCE_QP, sourceQueuePair);
        OffHeap.putInt(entry + WorkCompletions.OFFSET_FLAGS, flags);
        OffHeap.putLong(entry + WorkCompletions.OFFSET_FLAGS + 4, 0);
        tail = tail + 1;
        boolean announce = armed == Armed.ANY
                || (armed == Armed.SOLICITED && (solicited || status != WorkCompletionStatus.SUCCESS));
        if (announce && attendants > 0) {
            owed = true;
        } else if (announce) {
            announce();
        }
    }

    private void announce() {
        if (channel != null) {
            armed = Armed.NO;
            channel.add(this);
        }
    }

    /** A thread begins or ends to poll all the time: meanwhile nobody is woken. */
    void attend(boolean polling) {
        lock.lock();
        try {
            attendants += polling ? 1 : -1;
            if (attendants == 0 && owed) {
                owed = false;
                if (head != tail && armed != Armed.NO) {
                    announce();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private long entry(long index) {
        return memory + (index % capacity) * WorkCompletions.STRIDE;
    }

    /** Lets kept completions go that are due. */
    void release() {
        lock.lock();
        try {
            long now = System.nanoTime();
            while (!kept.isEmpty() && !engine.faults().completionsHeld()) {
                Kept next = kept.element();
                if (engine.faults().completionDelayNanos() > 0 && next.dueNanos - now > 0) {
                    engine.scheduleRelease(this, next.dueNanos);
                    return;
                }
                kept.remove();
                if (!freed && !overrun) {
                    append(
                            next.id,
                            next.status,
                            next.opcode,
                            next.byteLength,
                            next.immediate,
                            next.queuePair,
                            next.sourceQueuePair,
                            next.flags,
                            next.solicited);
                }
            }
            keeping = !kept.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    boolean isKeeping() {
        return keeping;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the lock is held
    int poll(long target, int max) {
        if (overrun) {
            throw new VerbsException(
                    "ibv_poll_cq",
                    Errno.EIO,
                    "the completion queue of " + capacity + " entries has overrun and lost completions; create a new"
                            + " one that is larger, or signal less");
        }
        if (head == tail) {
            return 0;
        }
        lock.lock();
        try {
            int count = (int) Math.min(max, tail - head);
            int first = (int) Math.min(count, capacity - head % capacity);
            OffHeap.copy(entry(head), target, (long) first * WorkCompletions.STRIDE);
            if (count > first) {
                OffHeap.copy(
                        memory,
                        target + (long) first * WorkCompletions.STRIDE,
                        (long) (count - first) * WorkCompletions.STRIDE);
            }
            head = head + count;
            return count;
        } finally {
            lock.unlock();
        }
    }

    void arm(boolean solicitedOnly) {
        lock.lock();
        try {
            // As on a card, a wish for all completions is not narrowed by a later one for solicited ones only.
            if (armed != Armed.ANY) {
                armed = solicitedOnly ? Armed.SOLICITED : Armed.ANY;
            }
        } finally {
            lock.unlock();
        }
    }

    void free() {
        lock.lock();
        try {
            freed = true;
            kept.clear();
            head = tail;
            OffHeap.free(memory);
        } finally {
            lock.unlock();
        }
        if (channel != null) {
            channel.forget(this);
        }
    }
}

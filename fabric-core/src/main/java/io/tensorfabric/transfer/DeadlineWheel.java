package io.tensorfabric.transfer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Timers for many deadlines that mostly never expire: one thread, a hashed wheel, entries that are part of what they
 * time, so that arming and cancelling is a few pointer writes and allocates nothing. An entry expires on the wheel's
 * thread at or up to a tick after its time, and must not block there. Thread-safe.
 */
final class DeadlineWheel implements AutoCloseable {

    /** Resolution: well below any deadline that makes sense over a network with retries. */
    static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** 41 s per turn: the default deadline of 30 s is met once. */
    private static final int SLOTS = 8192;

    private static final Logger log = LoggerFactory.getLogger(DeadlineWheel.class);

    private final @Nullable Entry[] slots = new @Nullable Entry[SLOTS];

    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    private final long start = System.nanoTime();

    private final Thread thread;

    /** All ticks before this one have been served. */
    private long nextTick;

    /** The tick that the thread sleeps for. */
    private long wakeTick;

    private int entries;

    private boolean started;

    private boolean closed;

    DeadlineWheel(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** Something with a time. Belongs to one wheel. */
    abstract static class Entry {

        private @Nullable Entry previous;

        private @Nullable Entry next;

        private long tick = -1;

        /** Its time has come; runs on the wheel's thread. */
        abstract void expired();
    }

    /** Arms an entry, anew if it is armed. Does nothing once the wheel is closed. The first one starts the thread. */
    void arm(Entry entry, long delayNanos) {
        long due = System.nanoTime() - start + Math.max(0, delayNanos);
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (!started) {
                started = true;
                thread.start();
            }
            unlink(entry);
            if (entries == 0) {
                // Nothing was counted while the wheel was empty.
                nextTick = Math.max(nextTick, (System.nanoTime() - start) / TICK_NANOS);
            }
            entry.tick = Math.max(nextTick, due / TICK_NANOS + 1);
            int slot = (int) (entry.tick % SLOTS);
            Entry head = slots[slot];
            entry.next = head;
            if (head != null) {
                head.previous = entry;
            }
            slots[slot] = entry;
            entries++;
            if (entry.tick < wakeTick) {
                wakeTick = entry.tick;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Disarms; true if the entry was armed and now never expires. */
    boolean cancel(Entry entry) {
        lock.lock();
        try {
            return unlink(entry);
        } finally {
            lock.unlock();
        }
    }

    private boolean unlink(Entry entry) {
        if (entry.tick < 0) {
            return false;
        }
        if (entry.next != null) {
            entry.next.previous = entry.previous;
        }
        if (entry.previous != null) {
            entry.previous.next = entry.next;
        } else {
            slots[(int) (entry.tick % SLOTS)] = entry.next;
        }
        entry.next = null;
        entry.previous = null;
        entry.tick = -1;
        entries--;
        return true;
    }

    private void run() {
        while (true) {
            Entry due = awaitDue();
            if (due == null) {
                return;
            }
            try {
                due.expired();
            } catch (RuntimeException e) {
                log.error("A timer failed; what it guards may end late", e);
            }
        }
    }

    private @Nullable Entry awaitDue() {
        lock.lock();
        try {
            while (!closed) {
                long now = (System.nanoTime() - start) / TICK_NANOS;
                Entry due = takeDue(now);
                if (due != null) {
                    return due;
                }
                wakeTick = findNext();
                sleepUntil(wakeTick);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Entry takeDue(long now) {
        if (entries == 0) {
            nextTick = now;
            return null;
        }
        for (; nextTick <= now; nextTick++) {
            for (Entry e = slots[(int) (nextTick % SLOTS)]; e != null; e = e.next) {
                if (e.tick <= nextTick) {
                    unlink(e);
                    return e;
                }
            }
        }
        return null;
    }

    private long findNext() {
        if (entries == 0) {
            return Long.MAX_VALUE;
        }
        for (long tick = nextTick; tick < nextTick + SLOTS; tick++) {
            if (slots[(int) (tick % SLOTS)] != null) {
                return tick;
            }
        }
        throw new IllegalStateException("The wheel counts " + entries + " entries but holds none");
    }

    @SuppressWarnings("WaitNotInLoop") // run() is the loop
    private void sleepUntil(long tick) {
        try {
            if (tick == Long.MAX_VALUE) {
                changed.await();
            } else {
                long nanos = tick * TICK_NANOS - (System.nanoTime() - start);
                if (nanos > 0) {
                    changed.awaitNanos(nanos);
                }
            }
        } catch (InterruptedException ignored) {
            // Nobody but close() ends this thread, and that sets a flag.
        }
    }

    /** Stops the thread; what is armed never expires. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}

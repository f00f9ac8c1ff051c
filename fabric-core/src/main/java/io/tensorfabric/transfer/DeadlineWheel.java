package io.tensorfabric.transfer;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Timers for many deadlines that mostly never expire: one thread, a hashed wheel whose lists lie in arrays, so that what is
 * timed keeps a number alone, and arming and cancelling allocates nothing unless more are armed than ever before. What is
 * timed is told on the wheel's thread at or up to a tick after its time, and must not block there. Thread-safe.
 */
final class DeadlineWheel implements AutoCloseable {

    /** Resolution: well below any deadline that makes sense over a network with retries. */
    static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** 41 s per turn: the default deadline of 30 s is met once. */
    private static final int SLOTS = 8192;

    private static final Logger log = LoggerFactory.getLogger(DeadlineWheel.class);

    private static final int NONE = 0;

    /** The first place of each list. */
    private final int[] slots = new int[SLOTS];

    // By place. The first one is never used.

    private @Nullable Timed[] timed = new @Nullable Timed[64];

    private long[] ticks = new long[64];

    private int[] previous = new int[64];

    /** Of a list, or of the places that are free. */
    private int[] next = new int[64];

    private int free = NONE;

    /** Places that were ever used, and the first one. */
    private int used = 1;

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

    /** Something with a time. Belongs to one wheel, which alone calls these methods. */
    interface Timed {

        /** Where the wheel has it; the latest that was set, 0 to begin with. */
        int place();

        /** Sets that. */
        void place(int value);

        /** Its time has come; runs on the wheel's thread. */
        void timeIsUp();
    }

    /** Something with a time, with its place. */
    abstract static class Entry implements Timed {

        private volatile int place;

        @Override
        public final int place() {
            return place;
        }

        @Override
        public final void place(int value) {
            place = value;
        }

        @Override
        public final void timeIsUp() {
            expired();
        }

        /** Its time has come; runs on the wheel's thread. */
        abstract void expired();
    }

    /** Arms an entry, anew if it is armed. Does nothing once the wheel is closed. The first one starts the thread. */
    void arm(Timed entry, long delayNanos) {
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
            long tick = Math.max(nextTick, due / TICK_NANOS + 1);
            link(entry, tick);
            if (tick < wakeTick) {
                wakeTick = tick;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private void link(Timed entry, long tick) {
        int place = takePlace();
        int slot = (int) (tick % SLOTS);
        int head = slots[slot];
        timed[place] = entry;
        ticks[place] = tick;
        previous[place] = NONE;
        next[place] = head;
        if (head != NONE) {
            previous[head] = place;
        }
        slots[slot] = place;
        entries++;
        entry.place(place);
    }

    private int takePlace() {
        int place = free;
        if (place != NONE) {
            free = next[place];
            return place;
        }
        if (used == timed.length) {
            timed = Arrays.copyOf(timed, used * 2);
            ticks = Arrays.copyOf(ticks, used * 2);
            previous = Arrays.copyOf(previous, used * 2);
            next = Arrays.copyOf(next, used * 2);
        }
        return used++;
    }

    /** Disarms; true if the entry was armed and now never expires. */
    boolean cancel(Timed entry) {
        if (entry.place() == NONE) {
            // As if it were armed after this, if it is now.
            return false;
        }
        lock.lock();
        try {
            return unlink(entry);
        } finally {
            lock.unlock();
        }
    }

    private boolean unlink(Timed entry) {
        int place = entry.place();
        if (place == NONE) {
            return false;
        }
        int after = next[place];
        int before = previous[place];
        if (after != NONE) {
            previous[after] = before;
        }
        if (before != NONE) {
            next[before] = after;
        } else {
            slots[(int) (ticks[place] % SLOTS)] = after;
        }
        timed[place] = null;
        next[place] = free;
        free = place;
        entries--;
        entry.place(NONE);
        return true;
    }

    private void run() {
        while (true) {
            Timed due = awaitDue();
            if (due == null) {
                return;
            }
            try {
                due.timeIsUp();
            } catch (RuntimeException e) {
                log.error("A timer failed; what it guards may end late", e);
            }
        }
    }

    private @Nullable Timed awaitDue() {
        lock.lock();
        try {
            while (!closed) {
                long now = (System.nanoTime() - start) / TICK_NANOS;
                Timed due = takeDue(now);
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

    private @Nullable Timed takeDue(long now) {
        if (entries == 0) {
            nextTick = now;
            return null;
        }
        for (; nextTick <= now; nextTick++) {
            for (int place = slots[(int) (nextTick % SLOTS)]; place != NONE; place = next[place]) {
                Timed entry = timed[place];
                if (entry != null && ticks[place] <= nextTick) {
                    unlink(entry);
                    return entry;
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
            if (slots[(int) (tick % SLOTS)] != NONE) {
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

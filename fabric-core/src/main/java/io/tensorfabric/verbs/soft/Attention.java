package io.tensorfabric.verbs.soft;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who looks for what comes by rings. While a thread polls completion queues all the time, it looks into those that are in
 * steady use and nobody need be woken for them; for all others, and while nobody looks, the loops are. So what a look costs
 * depends on how many peers are busy, and not on how many are connected. Thread-safe.
 */
final class Attention {

    /** What comes at least so often is looked for; a ring that is quiet for as long is left to its peer, who wakes the loop. */
    static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How many looks make it worth to look at the clock; a power of two. */
    private static final int LOOKS = 256;

    /** A half of a queue pair that reads from a ring. */
    interface Watched {

        /** Takes what is there, unless another thread is at it. */
        void look();

        /** Takes what is there, and has the peer wake the loop for what comes later. */
        void sleep();

        /** Removes itself and sleeps, if nothing came since the last question. */
        void leaveIfQuiet();
    }

    private final AtomicInteger rings = new AtomicInteger();

    private final AtomicInteger watchers = new AtomicInteger();

    private final AtomicLong sweptAt = new AtomicLong(System.nanoTime());

    /** Never changed in place. */
    private volatile Watched[] watched = {};

    /** Counted without care: only about every so many matters. */
    private int looks;

    synchronized void add(Watched half) {
        Watched[] next = Arrays.copyOf(watched, watched.length + 1);
        next[watched.length] = half;
        watched = next;
    }

    synchronized void remove(Watched half) {
        watched = Arrays.stream(watched).filter(other -> !other.equals(half)).toArray(Watched[]::new);
    }

    /** A ring more, or one fewer, brings frames. */
    void ringsChanged(int more) {
        rings.addAndGet(more);
    }

    /** Whether anything comes by a ring at all. */
    boolean isInUse() {
        return rings.get() > 0;
    }

    /** How many rings are looked into. */
    int watched() {
        return watched.length;
    }

    /** A thread looks from now on, again and again. */
    void begin() {
        watchers.incrementAndGet();
    }

    /** A thread looks no more. */
    void end() {
        if (watchers.decrementAndGet() == 0) {
            for (Watched half : watched) {
                half.sleep();
            }
            leaveQuietOnes();
        }
    }

    boolean isPaid() {
        return watchers.get() > 0;
    }

    /** Takes what is there. */
    void look() {
        for (Watched half : watched) {
            half.look();
        }
        looks++;
        if ((looks & LOOKS - 1) == 0) {
            leaveQuietOnes();
        }
    }

    private void leaveQuietOnes() {
        long now = System.nanoTime();
        long last = sweptAt.get();
        if (now - last >= QUIET_NANOS && sweptAt.compareAndSet(last, now)) {
            for (Watched half : watched) {
                half.leaveIfQuiet();
            }
        }
    }
}

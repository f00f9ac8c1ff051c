package io.tensorfabric.verbs.soft;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who looks for what comes by rings. While a thread polls completion queues all the time, it looks into them itself and
 * nobody need be woken; else the loops are. Thread-safe.
 */
final class Attention {

    /** A half of a queue pair that reads from a ring. */
    interface Watched {

        /** Takes what is there, unless another thread is at it. */
        void look();

        /** Takes what is there, and has the peer wake the loop for what comes later. */
        void sleep();
    }

    private final AtomicInteger watchers = new AtomicInteger();

    /** Never changed in place. */
    private volatile Watched[] watched = {};

    synchronized void add(Watched half) {
        Watched[] next = Arrays.copyOf(watched, watched.length + 1);
        next[watched.length] = half;
        watched = next;
    }

    synchronized void remove(Watched half) {
        watched = Arrays.stream(watched).filter(other -> !other.equals(half)).toArray(Watched[]::new);
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
        }
    }

    /** Whether anything comes by a ring at all. */
    boolean isInUse() {
        return watched.length > 0;
    }

    boolean isPaid() {
        return watchers.get() > 0;
    }

    /** Takes what is there. */
    void look() {
        for (Watched half : watched) {
            half.look();
        }
    }
}

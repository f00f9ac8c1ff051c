package io.tensorfabric.transfer;

import java.util.AbstractQueue;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that wait for the threads of an executor. An array that grows in place of linked nodes, so that a task leaves no
 * garbage, and several tasks can be added with one wake-up. Without limit. Thread-safe.
 */
final class TaskQueue extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {

    private final ReentrantLock lock = new ReentrantLock();

    private final Condition filled = lock.newCondition();

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    /** Threads that sleep. */
    private int sleepers;

    /** Whether one of them was woken that did not come yet; it wakes the next one if there is more than it takes. */
    private boolean waking;

    @Override
    public boolean offer(Runnable task) {
        lock.lock();
        try {
            tasks.add(task);
            wakeOne();
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Adds the tasks of a list from an index on, with one wake-up for all. */
    void offerAll(List<? extends Runnable> more, int from) {
        lock.lock();
        try {
            for (int i = from; i < more.size(); i++) {
                tasks.add(more.get(i));
            }
            wakeOne();
        } finally {
            lock.unlock();
        }
    }

    private void wakeOne() {
        if (sleepers > 0 && !waking && !tasks.isEmpty()) {
            waking = true;
            filled.signal();
        }
    }

    private @Nullable Runnable next() {
        Runnable task = tasks.poll();
        wakeOne();
        return task;
    }

    @Override
    public @Nullable Runnable poll() {
        lock.lock();
        try {
            return next();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Runnable poll(long timeout, TimeUnit unit) throws InterruptedException {
        long left = unit.toNanos(timeout);
        lock.lock();
        try {
            while (tasks.isEmpty() && left > 0) {
                sleepers++;
                try {
                    left = filled.awaitNanos(left);
                } finally {
                    sleepers--;
                    waking = false;
                }
            }
            return next();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Runnable take() throws InterruptedException {
        Runnable task = poll(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        while (task == null) {
            task = poll(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        }
        return task;
    }

    @Override
    public void put(Runnable task) {
        offer(task);
    }

    @Override
    public boolean offer(Runnable task, long timeout, TimeUnit unit) {
        return offer(task);
    }

    @Override
    public @Nullable Runnable peek() {
        lock.lock();
        try {
            return tasks.peek();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean remove(Object task) {
        lock.lock();
        try {
            return tasks.remove(task);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int size() {
        lock.lock();
        try {
            return tasks.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int remainingCapacity() {
        return Integer.MAX_VALUE;
    }

    @Override
    public int drainTo(Collection<? super Runnable> target) {
        return drainTo(target, Integer.MAX_VALUE);
    }

    @Override
    public int drainTo(Collection<? super Runnable> target, int most) {
        lock.lock();
        try {
            int count = 0;
            while (count < most && !tasks.isEmpty()) {
                target.add(tasks.remove());
                count++;
            }
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Of those that wait now. */
    @Override
    public Iterator<Runnable> iterator() {
        lock.lock();
        try {
            return List.copyOf(tasks).iterator();
        } finally {
            lock.unlock();
        }
    }
}

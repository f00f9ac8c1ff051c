package io.tensorfabric.transfer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All pushes that are not over: by number. Thread-safe; calls nobody under its lock. */
final class Pushes {

    private final ReentrantLock lock = new ReentrantLock();

    private final Condition empty = lock.newCondition();

    private final LongMap<Push> pushes = new LongMap<>();

    void add(Push push) {
        lock.lock();
        try {
            pushes.put(push.id(), push);
        } finally {
            lock.unlock();
        }
    }

    void remove(Push push) {
        lock.lock();
        try {
            pushes.remove(push.id());
            if (pushes.size() == 0) {
                empty.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Nullable Push find(long id) {
        lock.lock();
        try {
            return pushes.get(id);
        } finally {
            lock.unlock();
        }
    }

    /** Whether pushes are with a link. */
    boolean hasSomeOf(LinkSender link) {
        return all().stream().anyMatch(push -> link.equals(push.link) && !push.isReleased());
    }

    int size() {
        lock.lock();
        try {
            return pushes.size();
        } finally {
            lock.unlock();
        }
    }

    List<Push> all() {
        List<Push> all = new ArrayList<>();
        lock.lock();
        try {
            pushes.forEach(all::add);
        } finally {
            lock.unlock();
        }
        return all;
    }

    void forEach(Consumer<Push> action) {
        all().forEach(action);
    }

    /** Waits until there are none, at most the given time. */
    void awaitEmpty(Duration timeout) throws InterruptedException {
        long left = timeout.toNanos();
        lock.lock();
        try {
            while (pushes.size() > 0 && left > 0) {
                left = empty.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}

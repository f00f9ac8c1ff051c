package io.tensorfabric.listener;

import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorRefusedException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Threads of one listener's own: at most so many, there only while tensors wait. Tensors wait in the order of their arrival,
 * holding their room, which is what bounds them. Thread-safe.
 */
final class ListenerThreads {

    private final int limit;

    private final SimpleAsyncTaskExecutor executor;

    private final ReentrantLock lock = new ReentrantLock();

    private final Condition idle = lock.newCondition();

    private final ArrayDeque<Work> waiting = new ArrayDeque<>();

    private final Set<Thread> threads = new HashSet<>();

    private int workers;

    /** A tensor and what is done with it. */
    private record Work(ReceivedTensor tensor, Acknowledgment answer, TensorCall call) {}

    private ListenerThreads(String listener, int limit, boolean virtual) {
        this.limit = limit;
        this.executor = new SimpleAsyncTaskExecutor("tensor-" + listener + "-");
        executor.setDaemon(true);
        executor.setVirtualThreads(virtual);
    }

    /** Threads for a listener, or {@code null} if it has none of its own. */
    static @Nullable ListenerThreads of(String listener, int limit, boolean virtual) {
        return limit == 0 ? null : new ListenerThreads(listener, limit, virtual);
    }

    /** Hands a tensor over and returns at once. */
    void submit(ReceivedTensor tensor, TensorCall call) {
        Work work = new Work(tensor, tensor.defer(), call);
        boolean start;
        lock.lock();
        try {
            waiting.add(work);
            start = workers < limit;
            workers += start ? 1 : 0;
        } finally {
            lock.unlock();
        }
        if (start) {
            executor.execute(this::work);
        }
    }

    private void work() {
        for (Work work = next(); work != null; work = next()) {
            work.call.apart(work.tensor, work.answer);
        }
    }

    private @Nullable Work next() {
        lock.lock();
        try {
            // An interruption was for the call that ended.
            Thread.interrupted();
            Work work = waiting.poll();
            if (work != null) {
                threads.add(Thread.currentThread());
                return work;
            }
            threads.remove(Thread.currentThread());
            workers--;
            if (workers == 0) {
                idle.signalAll();
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the calls to end, then interrupts those that run and refuses what waits. */
    void awaitEnd(Duration timeout) {
        List<Work> refused = new ArrayList<>();
        lock.lock();
        try {
            long left = timeout.toNanos();
            while (workers > 0 && left > 0) {
                left = idle.awaitNanos(left);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            refused.addAll(waiting);
            waiting.clear();
            threads.forEach(Thread::interrupt);
            lock.unlock();
        }
        refused.forEach(work -> work.answer.fail(new TensorRefusedException("the listener has ended", true)));
    }
}

package io.tensorfabric.connection;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads of a manager, all daemons.
 *
 * @param negotiation blocking negotiations; bounded, so that too many at once are refused
 * @param teardown taking connections apart
 * @param callbacks calls of the handler that may block, other than from negotiations
 * @param farewells telling peers that connections with them ended; apart, since dead ones take their time
 * @param timer short periodic work; must not block
 */
record FabricExecutors(
        ExecutorService negotiation,
        ExecutorService teardown,
        ExecutorService callbacks,
        ExecutorService farewells,
        ScheduledExecutorService timer) {

    private static final int NEGOTIATIONS = 16;

    private static final int MAX_QUEUED = 1024;

    static FabricExecutors create() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory("fabric-timer"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return new FabricExecutors(
                pool("fabric-negotiation", NEGOTIATIONS, MAX_QUEUED),
                pool("fabric-teardown", 8, Integer.MAX_VALUE),
                pool("fabric-callback", 4, Integer.MAX_VALUE),
                pool("fabric-farewell", 4, MAX_QUEUED),
                timer);
    }

    private static ExecutorService pool(String name, int threads, int queued) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(queued), factory(name));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private static ThreadFactory factory(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Ends all threads; what still waits is dropped. */
    void close(Deadline deadline) {
        timer.shutdownNow();
        for (ExecutorService executor : new ExecutorService[] {negotiation, callbacks, farewells, teardown}) {
            executor.shutdown();
            if (!ended(executor, deadline)) {
                executor.shutdownNow();
            }
        }
    }

    private static boolean ended(ExecutorService executor, Deadline deadline) {
        try {
            return executor.awaitTermination(Math.max(1, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

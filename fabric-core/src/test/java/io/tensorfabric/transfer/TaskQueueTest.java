package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TaskQueueTest {

    private final TaskQueue queue = new TaskQueue();

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(3, 3, 1, TimeUnit.SECONDS, queue);

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    @Test
    void whenTasksAreAddedTogetherThenOneThatBlocksHoldsUpNoOther() throws Exception {
        threads.prestartAllCoreThreads();
        for (int round = 0; round < 200; round++) {
            CountDownLatch others = new CountDownLatch(5);
            List<Runnable> tasks = new ArrayList<>();
            tasks.add(others::countDown);
            // It ends when all others have run, so it must not keep them from running.
            tasks.add(() -> await(others));
            tasks.add(() -> await(others));
            for (int i = 0; i < 4; i++) {
                tasks.add(others::countDown);
            }
            threads.execute(tasks.get(0));
            queue.offerAll(tasks, 1);
            assertThat(others.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whenManyThreadsAddAndTakeThenEachTaskRunsOnce() throws Exception {
        int each = 20_000;
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(3 * each);
        Runnable task = () -> {
            runs.incrementAndGet();
            all.countDown();
        };
        List<Thread> givers = new ArrayList<>();
        for (int giver = 0; giver < 3; giver++) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < each / 4; i++) {
                    threads.execute(task);
                    queue.offerAll(List.of(task, task, task), 0);
                }
            });
            thread.start();
            givers.add(thread);
        }
        for (Thread giver : givers) {
            giver.join();
        }
        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(runs).hasValue(3 * each);
    }

    @Test
    void whenShutDownThenWhatWaitsIsHandedBackInOrder() throws Exception {
        CountDownLatch busy = new CountDownLatch(3);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 3; i++) {
            threads.execute(() -> {
                busy.countDown();
                await(end);
            });
        }
        assertThat(busy.await(20, TimeUnit.SECONDS)).isTrue();
        Runnable first = () -> {};
        Runnable second = end::countDown;
        threads.execute(first);
        threads.execute(second);
        assertThat(queue).hasSize(2);
        assertThat(threads.shutdownNow()).containsExactly(first, second);
        assertThat(queue).isEmpty();
    }
}

package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.offheap.OffHeap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Many threads create, use, post to and close objects of two devices in any order. Every operation either works or throws
 * one of the exceptions that the API promises; nothing crashes, hangs or is left over.
 */
@EnabledIf(
        value = "io.tensorfabric.verbs.ibverbs.GuestDevices#present",
        disabledReason = "this machine has no RDMA device; ./dev roce runs it in a guest that has two")
class RandomOperationsTest {

    private static final int THREADS = 8;

    private static final int OPERATIONS = Integer.getInteger("native.random.operations", 100_000);

    private static final long SEED = Long.getLong("native.random.seed", 2026);

    @Test
    @Timeout(value = 8, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whenOperationsAreRandomThenNothingCrashesHangsOrLeaks() throws Exception {
        long before = OffHeap.allocatedBytes();
        Map<String, Integer> counts = new TreeMap<>();
        try (ObjectPool pool = new ObjectPool(GuestDevices.all())) {
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            try {
                List<Future<Map<String, Integer>>> running = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    int thread = i;
                    running.add(threads.submit(() -> perform(pool, thread)));
                }
                for (Future<Map<String, Integer>> each : running) {
                    each.get().forEach((name, count) -> counts.merge(name, count, Integer::sum));
                }
            } finally {
                threads.shutdownNow();
            }
        }
        System.out.println("random operations, seed " + SEED + ": " + counts);
        assertThat(OffHeap.allocatedBytes()).as("native memory left over").isEqualTo(before);
    }

    private static Map<String, Integer> perform(ObjectPool pool, int thread) {
        try (RandomOperations operations = new RandomOperations(pool, SEED + thread)) {
            for (int i = 0; i < OPERATIONS / THREADS; i++) {
                operations.perform();
            }
            return operations.counts();
        }
    }
}

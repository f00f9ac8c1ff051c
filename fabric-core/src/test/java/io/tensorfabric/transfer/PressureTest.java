package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cases M03 and M12: little room under many threads and faults, and many pushes of unregistered memory. */
@Timeout(240)
class PressureTest {

    private static final int MIB = 1 << 20;

    private static final int SLOTS = 4;

    private static final int THREADS = 64;

    @Test
    void whenManyPushIntoLittleRoomAndPostsFailThenEachPushEndsAndAllRoomComesBack() throws Exception {
        TransferOptions.Builder options = TransferOptions.builder()
                .landingZoneSize(SLOTS * MIB)
                .retry(new RetryOptions(5, Duration.ofMillis(5), 2));
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        AtomicBoolean over = new AtomicBoolean();
        try (SoftPair pair = new SoftPair(options)) {
            Set<String> delivered = ConcurrentHashMap.newKeySet();
            AtomicInteger twice = new AtomicInteger();
            BlockingQueue<ReceivedTensor> kept = new LinkedBlockingQueue<>();
            TensorListenerRegistry.Registration count = pair.b().register("count", "*", "*", received -> {
                if (!delivered.add(received.tensor().name())) {
                    twice.incrementAndGet();
                }
                received.close();
            });
            Thread faults = new Thread(() -> {
                while (!over.get()) {
                    pair.nodes.a().faults().failWorkRequests(20, 1, WorkCompletionStatus.REM_ACCESS_ERR);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                }
            });
            faults.start();
            List<Future<String>> pushes = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                String name = "t" + t;
                pushes.add(threads.submit(() -> push(pair, name)));
            }
            Set<String> arrived = ConcurrentHashMap.newKeySet();
            int failed = 0;
            for (Future<String> push : pushes) {
                String name = push.get(120, TimeUnit.SECONDS);
                failed += name.isEmpty() ? 1 : 0;
                if (!name.isEmpty()) {
                    arrived.add(name);
                }
            }
            over.set(true);
            faults.join();
            pair.nodes.a().faults().clear();
            System.out.printf(
                    "of %d pushes %d failed, %d retries%n",
                    THREADS, failed, pair.a().statistics().retries());
            assertThat(arrived.size() + failed).isEqualTo(THREADS);
            assertThat(delivered).containsAll(arrived);
            assertThat(twice).hasValue(0);
            assertThat(pair.a().statistics().retries()).isPositive();
            count.close();
            pair.b().register("keep", "*", "*", kept::add);
            assertStuckReceiverIsFelt(pair, kept);
            kept.forEach(ReceivedTensor::close);
            kept.clear();
            fill(pair, kept);
            kept.forEach(ReceivedTensor::close);
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
    }

    /** The name if it was delivered, else empty. */
    private static String push(SoftPair pair, String name) throws Exception {
        try (Tensor tensor = tensor(name, MIB, name.hashCode())) {
            PushOptions options =
                    PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED).withDeadline(Duration.ofSeconds(60));
            pair.a().push(TwoNodes.B, tensor, options).get(90, TimeUnit.SECONDS);
            return name;
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(TransferException.class);
            return "";
        }
    }

    /** Takes all slots at once, which shows that none was lost. */
    private static void fill(SoftPair pair, BlockingQueue<ReceivedTensor> kept) throws Exception {
        try (Tensor tensor = tensor("slot", MIB, 1)) {
            // After the faults there may be one more connection to make.
            await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
                pair.a().push(TwoNodes.B, tensor).get(10, TimeUnit.SECONDS);
                return true;
            });
            for (int i = 1; i < SLOTS; i++) {
                pair.a().push(TwoNodes.B, tensor).get(10, TimeUnit.SECONDS);
            }
        }
        await().until(() -> kept.size() == SLOTS);
    }

    private static void assertStuckReceiverIsFelt(SoftPair pair, BlockingQueue<ReceivedTensor> kept) throws Exception {
        fill(pair, kept);
        try (Tensor fifth = tensor("fifth", MIB, 1)) {
            long begin = System.nanoTime();
            CompletableFuture<TransferReceipt> push =
                    pair.a().push(TwoNodes.B, fifth, PushOptions.defaults().withDeadline(Duration.ofMillis(500)));
            assertThat(failure(push).kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isBetween(Duration.ofMillis(300), Duration.ofMillis(700));
        }
    }

    /** The device has room for few memory regions: one that is not given back would end the test early. */
    @Test
    void whenUnregisteredMemoryIsPushedManyTimesThenRegistrationsStayFewAndNoneIsLeft() throws Exception {
        SoftDeviceOptions device =
                SoftDeviceOptions.defaults().toBuilder().maxMemoryRegions(128).build();
        TransferOptions.Builder options = TransferOptions.builder()
                .landingZoneSize(4 * MIB)
                .smallThreshold(0)
                .maxInFlight(32);
        try (SoftPair pair = new SoftPair(options, builder -> builder.device(device))) {
            pair.b().register("close", "*", "*", ReceivedTensor::close);
            try (Tensor same = tensor("same", 4096, 1)) {
                pushAll(pair, 100_000, i -> same);
            }
            pushAll(pair, 10_000, i -> tensor("t" + i, 4096, i));
            assertThat(pair.a().statistics().pushFailures()).isZero();
        }
    }

    private static void pushAll(SoftPair pair, int pushes, IntFunction<Tensor> tensors) throws Exception {
        CompletableFuture<?>[] window = new CompletableFuture<?>[64];
        for (int i = 0; i < pushes; i++) {
            CompletableFuture<?> oldest = window[i % window.length];
            if (oldest != null) {
                oldest.get(30, TimeUnit.SECONDS);
            }
            Tensor tensor = tensors.apply(i);
            window[i % window.length] = pair.a().push(TwoNodes.B, tensor);
            if (tensor.name().startsWith("t")) {
                tensor.close();
            }
        }
        CompletableFuture.allOf(window).get(30, TimeUnit.SECONDS);
    }
}

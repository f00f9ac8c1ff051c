package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.LocalNetwork.Call;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cases C07, W07 and W12: many first pushes at once, callers' callbacks that misbehave, and completions that are late. */
@Timeout(120)
class FirstPushesTest {

    private static final int MIB = 1 << 20;

    private static final int THREADS = 64;

    private static final int PUSHES = 1000;

    private static final Duration HELD = Duration.ofSeconds(2);

    private static TransferOptions.Builder options() {
        return TransferOptions.builder().landingZoneSize(8 * MIB);
    }

    @Test
    void whenManyThreadsPushToANewPeerAtOnceThenOneNegotiationServesAllAndEachByteArrives() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (SoftPair pair = new SoftPair(options())) {
            Set<String> intact = ConcurrentHashMap.newKeySet();
            pair.b().register("check", "*", "*", received -> {
                try (received) {
                    int number = Integer.parseInt(received.tensor().name());
                    PushTest.assertFilled(received.tensor(), number);
                    intact.add(received.tensor().name());
                }
            });
            CyclicBarrier together = new CyclicBarrier(THREADS);
            List<Future<TransferReceipt>> pushes = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                pushes.add(threads.submit(() -> {
                    try (Tensor tensor = tensor(String.valueOf(number), MIB, number)) {
                        together.await();
                        PushOptions processed = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
                        return pair.a().push(TwoNodes.B, tensor, processed).get(60, TimeUnit.SECONDS);
                    }
                }));
            }
            for (Future<TransferReceipt> push : pushes) {
                assertThat(push.get(90, TimeUnit.SECONDS).bytes()).isEqualTo(MIB);
            }
            assertThat(intact).hasSize(THREADS);
            assertThat(pair.nodes.network().count(Call.CONNECT)).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void whenThePeerHasNoMemoryForALandingZoneThenThePushSaysSoAndLaterOnesWork() throws Exception {
        MemoryPoolOptions small = new MemoryPoolOptions(16 * MIB, 16 * MIB, 256, Duration.ofSeconds(5));
        try (SoftPair pair = new SoftPair(
                        options().retry(new RetryOptions(1, Duration.ofMillis(20), 2)),
                        builder -> builder.poolOptions(small));
                Tensor tensor = tensor("t", 64, 1)) {
            pair.b().register("close", "*", "*", ReceivedTensor::close);
            try (BufferLease taken = pair.nodes.b().pool().acquire(12 * MIB, "somebody else")) {
                assertThat(taken.length()).isEqualTo(12 * MIB);
                TransferException e = failure(pair.a().push(TwoNodes.B, tensor));
                assertThat(e.kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
                assertThat(e)
                        .hasMessageContaining("no memory for a landing zone")
                        .hasMessageNotContaining("somebody else");
            }
            pair.nodes.a().manager().resetBackoff(TwoNodes.B);
            pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenCallersCallbacksMisbehaveThenEachPushEndsAndOthersAreNotHeldUp() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = tensor("t", 64, 1)) {
            pair.b().register("close", "*", "*", ReceivedTensor::close);
            pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
            AtomicInteger called = new AtomicInteger();
            List<CompletableFuture<?>> pushes = new ArrayList<>();
            Thread self = Thread.currentThread();
            BlockingQueue<Thread> blocked = new LinkedBlockingQueue<>();
            // Had it been done before the callback was added, that would run here and stop this thread.
            pair.nodes.a().faults().delayCompletions(Duration.ofMillis(300));
            pushes.add(pair.a().push(TwoNodes.B, tensor).whenComplete((receipt, error) -> {
                blocked.add(Thread.currentThread());
                awaitQuietly(mayGoOn);
            }));
            assertThat(blocked.poll(10, TimeUnit.SECONDS)).isNotNull().isNotSameAs(self);
            pair.nodes.a().faults().clear();
            for (int i = 0; i < PUSHES; i++) {
                int number = i;
                CompletableFuture<TransferReceipt> push = pair.a().push(TwoNodes.B, tensor);
                push.whenComplete((receipt, error) -> {
                    called.incrementAndGet();
                    if (Thread.currentThread() != self) {
                        // Else the push was done before the callback was added.
                        misbehave(number);
                    }
                });
                pushes.add(push);
            }
            for (CompletableFuture<?> push : pushes.subList(1, pushes.size())) {
                push.get(20, TimeUnit.SECONDS);
            }
            await().atMost(Duration.ofSeconds(10)).until(() -> called.get() == PUSHES);
            assertThat(pushes.get(0).isDone()).as("the one that blocks").isFalse();
            mayGoOn.countDown();
            pushes.get(0).get(10, TimeUnit.SECONDS);
            pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
        } finally {
            mayGoOn.countDown();
        }
    }

    private static void misbehave(int number) {
        switch (number % 40) {
            case 0 -> throw new IllegalStateException("thrown by the test");
            case 10 -> throw new AssertionError("thrown by the test");
            case 20 -> throw new StackOverflowError("thrown by the test");
            case 30 -> Thread.currentThread().interrupt();
            default -> {
                // Behaves.
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whenTheDeviceTellsLateThenSoDoesTheReceiptAndAFailureIsNone() throws Exception {
        try (SoftPair pair = new SoftPair(options().retry(new RetryOptions(1, Duration.ofMillis(1), 2)));
                Tensor tensor = tensor("t", MIB, 1)) {
            pair.b().register("close", "*", "*", ReceivedTensor::close);
            pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
            for (ReceiptLevel level : ReceiptLevel.values()) {
                pair.nodes.a().faults().delayCompletions(HELD);
                long begin = System.nanoTime();
                PushOptions wanted = PushOptions.defaults().withReceipt(level);
                pair.a().push(TwoNodes.B, tensor, wanted).get(20, TimeUnit.SECONDS);
                assertThat(Duration.ofNanos(System.nanoTime() - begin))
                        .as(level.name())
                        .isGreaterThanOrEqualTo(HELD);
                pair.nodes.a().faults().clear();
            }
            pair.nodes.a().faults().failWorkRequests(0, 1, WorkCompletionStatus.REM_OP_ERR);
            assertThat(failure(pair.a().push(TwoNodes.B, tensor)).status()).isEqualTo(WorkCompletionStatus.REM_OP_ERR);
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.assertFilled;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SoftTransferTest {

    private static final TransferOptions.Builder DEFAULTS = TransferOptions.builder();

    private static TransferOptions.Builder options() {
        return TransferOptions.builder().landingZoneSize(16 << 20).retry(new RetryOptions(3, Duration.ofMillis(20), 2));
    }

    @Test
    void whenPushedThenEverySizeArrivesIntact() throws Exception {
        try (SoftPair pair = new SoftPair(options())) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtB();
            int[] sizes = {0, 1, 63 * 1024 + 1, 64 * 1024, 64 * 1024 + 1, 1 << 20, 5_000_001, 16 << 20, (16 << 20) + 1};
            for (int size : sizes) {
                for (boolean checksum : new boolean[] {false, true}) {
                    byte[] bytes = new byte[size];
                    new Random(size).nextBytes(bytes);
                    try (Tensor tensor = Tensor.copyOf("t" + size, DataType.U8, Shape.of(size), bytes)) {
                        PushOptions push = PushOptions.defaults().withChecksum(checksum);
                        pair.a().push(TwoNodes.B, tensor, push).get(20, TimeUnit.SECONDS);
                    }
                    try (ReceivedTensor received = kept.take()) {
                        byte[] arrived = new byte[size];
                        received.tensor().asByteBuffer().get(arrived);
                        assertThat(arrived).isEqualTo(bytes);
                        assertThat(received.dedicatedZone()).isEqualTo(size > 16 << 20);
                    }
                }
            }
            pair.awaitSourceMemoryBack();
        }
    }

    @Test
    void whenBothSidesPushAtOnceFromManyThreadsThenAllArrives() throws Exception {
        try (SoftPair pair = new SoftPair(options())) {
            AtomicLong sum = new AtomicLong();
            TensorReceiver check = received -> {
                try (received) {
                    if (received.tensor().byteLength() > 0) {
                        assertFilled(received.tensor(), received.tensor().name().hashCode());
                    }
                    sum.addAndGet(received.tensor().byteLength());
                }
            };
            pair.a().register("check", "*", "*", check);
            pair.b().register("check", "*", "*", check);
            ExecutorService threads = Executors.newFixedThreadPool(64);
            List<Future<Long>> results = new ArrayList<>();
            for (int t = 0; t < 64; t++) {
                int thread = t;
                FabricTransfers from = t % 2 == 0 ? pair.a() : pair.b();
                String to = t % 2 == 0 ? TwoNodes.B : TwoNodes.A;
                results.add(threads.submit(() -> {
                    long bytes = 0;
                    for (int i = 0; i < 10; i++) {
                        int size = (thread * 7919 + i * 104_729) % (i % 5 == 0 ? 2_000_000 : 100_000);
                        String name = "t" + thread + "/" + i;
                        try (Tensor tensor = tensor(name, size, name.hashCode())) {
                            PushOptions push = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
                            bytes += from.push(to, tensor, push)
                                    .get(40, TimeUnit.SECONDS)
                                    .bytes();
                        }
                    }
                    return bytes;
                }));
            }
            long expected = 0;
            for (Future<Long> result : results) {
                expected += result.get(50, TimeUnit.SECONDS);
            }
            threads.shutdown();
            assertThat(sum).hasValue(expected);
            assertThat(pair.nodes.a().manager().connections()).hasSize(1);
        }
    }

    @Test
    void whenThePeerIsKilledMidPushThenThePushNamesItAndTheNextOneReconnects() throws Exception {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = tensor("t", 12 << 20, 3)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtB();
            pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
            kept.take().close();
            pair.nodes.a().faults().traffic().stallMessages(true);
            PushOptions push = PushOptions.defaults().withDeadline(Duration.ofSeconds(3));
            CompletableFuture<TransferReceipt> future = pair.a().push(TwoNodes.B, tensor, push);
            await().until(() -> pair.a().transfers().get(0).state() == TransferStatus.State.WRITING
                    || pair.a().transfers().get(0).state() == TransferStatus.State.WAITING);
            pair.nodes.b().kill();
            pair.nodes.a().faults().traffic().stallMessages(false);
            long start = System.nanoTime();
            TransferException e = failure(future);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
            assertThat(e.kind()).isIn(TransferException.Kind.PEER_LOST, TransferException.Kind.DEADLINE);
            assertThat(e.peer()).isEqualTo(TwoNodes.B);
            assertThat(e).hasMessageContaining(TwoNodes.B);
            assertThat(e.status()).isNotNull().isNotEqualTo(WorkCompletionStatus.SUCCESS);
            pair.awaitSourceMemoryBack();
            pair.nodes.restartB();
            BlockingQueue<ReceivedTensor> again = pair.keepAtB();
            pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
            try (ReceivedTensor received = again.take()) {
                assertFilled(received.tensor(), 3);
            }
        }
    }

    @Test
    void whenTheLinkBreaksThenThePushIsSentAgainAndDeliveredOnce() throws Exception {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = tensor("t", 4 << 20, 3)) {
            AtomicInteger delivered = new AtomicInteger();
            pair.b().register("count", "t", "*", received -> {
                delivered.incrementAndGet();
                assertFilled(received.tensor(), 3);
                received.close();
            });
            PushOptions processed = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
            pair.a().push(TwoNodes.B, tensor, processed).get(20, TimeUnit.SECONDS);
            // The tensor gets through, its answer does not.
            pair.nodes.b().faults().traffic().stallMessages(true);
            CompletableFuture<TransferReceipt> future = pair.a().push(TwoNodes.B, tensor, processed);
            await().until(() -> delivered.get() == 2);
            pair.nodes
                    .a()
                    .manager()
                    .find(TwoNodes.B)
                    .fail(new ConnectionException(ConnectionException.Kind.LOST, TwoNodes.B, "The cable was cut"));
            // Until then the answer could still come over the old connection.
            await().until(() -> pair.a().statistics().retries() > 0);
            pair.nodes.b().faults().traffic().stallMessages(false);
            TransferReceipt receipt = future.get(20, TimeUnit.SECONDS);
            assertThat(receipt.attempts()).isGreaterThanOrEqualTo(2);
            assertThat(delivered).hasValue(2);
            assertThat(pair.b().statistics().duplicates()).isGreaterThanOrEqualTo(1);
        }
    }

    @Test
    void whenAWorkRequestFailsThenThePushSucceedsInItsNextAttempt() throws Exception {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = tensor("t", 4 << 20, 3)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtB();
            pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
            kept.take().close();
            pair.nodes.a().faults().failWorkRequests(1, 1, WorkCompletionStatus.REM_ACCESS_ERR);
            TransferReceipt receipt = pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
            assertThat(receipt.attempts()).isEqualTo(2);
            kept.take().close();
            assertThat(kept).isEmpty();
        }
    }

    @Test
    void whenCompletionsAreHeldThenTheReceiptWaitsAndTheDeadlineKeepsTheMemory() throws Exception {
        try (SoftPair pair = new SoftPair(options().deviceGrace(Duration.ofSeconds(20)));
                Tensor tensor = tensor("t", 1 << 20, 3)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtB();
            pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
            kept.take().close();
            pair.nodes.a().faults().holdCompletions(true);
            PushOptions push = PushOptions.defaults().withDeadline(Duration.ofMillis(300));
            TransferException e = failure(pair.a().push(TwoNodes.B, tensor, push));
            assertThat(e.kind()).isEqualTo(TransferException.Kind.DEADLINE);
            assertThat(pair.a().statistics().pushesInFlight()).isEqualTo(1);
            pair.nodes.a().faults().holdCompletions(false);
            await().until(() -> pair.a().statistics().pushesInFlight() == 0);
            pair.a().push(TwoNodes.B, tensor).get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenANodeClosesInOrderThenWhatIsUnderWayEndsWell() throws Exception {
        SoftPair pair = new SoftPair(DEFAULTS);
        try (pair) {
            pair.b().register("all", "*", "*", ReceivedTensor::close);
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                try (Tensor tensor = tensor("t" + i, i % 10 == 0 ? 1 << 20 : 1000, 1)) {
                    PushOptions push = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
                    futures.add(pair.a().push(TwoNodes.B, tensor, push));
                }
            }
            pair.a().close(Duration.ofSeconds(20));
            for (CompletableFuture<TransferReceipt> future : futures) {
                assertThat(future).isCompletedWithValueMatching(receipt -> receipt.level() == ReceiptLevel.PROCESSED);
            }
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.assertFilled;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BackpressureTest {

    private static final PushOptions SHORT = PushOptions.defaults().withDeadline(Duration.ofMillis(200));

    @Test
    void whenTheZoneIsFullThenPushesWaitUntilViewsAreClosed() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 400_000, 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            FabricTransfers left = pair.left.transfers();
            left.push("right", tensor).get(10, TimeUnit.SECONDS);
            left.push("right", tensor).get(10, TimeUnit.SECONDS);
            TransferException full = failure(left.push("right", tensor, SHORT));
            assertThat(full.kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
            assertThat(full).hasMessageContaining("room").hasMessageContaining("close tensors sooner");
            CompletableFuture<TransferReceipt> waiting = left.push("right", tensor);
            try (Tensor little = tensor("little", 1000, 2)) {
                // A small one does not wait behind the large one.
                left.push("right", little).get(10, TimeUnit.SECONDS);
            }
            assertThat(waiting).isNotDone();
            kept.take().close();
            waiting.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenViewsAreClosedInAnyOrderThenAllRoomComesBack() throws Exception {
        try (FakePair pair = new FakePair()) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            Random random = new Random(11);
            List<ReceivedTensor> open = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                int fill = i;
                try (Tensor tensor = tensor("t", 1 + random.nextInt(60_000), fill)) {
                    pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
                }
                ReceivedTensor received = kept.take();
                assertFilled(received.tensor(), fill);
                open.add(received);
                if (open.size() == 8) {
                    Collections.shuffle(open, random);
                    open.subList(0, 4).forEach(ReceivedTensor::close);
                    open.subList(0, 4).clear();
                }
            }
            open.forEach(ReceivedTensor::close);
            try (Tensor all = tensor("all", 1 << 20, 1)) {
                pair.left.transfers().push("right", all).get(10, TimeUnit.SECONDS);
                ReceivedTensor received = kept.take();
                assertThat(received.dedicatedZone()).isFalse();
                received.close();
            }
        }
    }

    @Test
    void whenTooManyAreUnderWayThenFurtherOnesFailOrWaitByPolicy() throws Exception {
        for (WhenFull policy : WhenFull.values()) {
            try (FakePair pair =
                            new FakePair(small().maxInFlight(2).maxQueued(1).whenFull(policy));
                    Tensor tensor = tensor("t", 10, 1)) {
                CountDownLatch go = new CountDownLatch(1);
                pair.right.transfers().register("slow", "*", "*", received -> {
                    go.await();
                    received.close();
                });
                FabricTransfers left = pair.left.transfers();
                PushOptions processed = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
                List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    futures.add(left.push("right", tensor, processed));
                }
                TransferException last = failure(futures.get(3));
                assertThat(last.kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
                if (policy == WhenFull.FAIL) {
                    assertThat(failure(futures.get(2)).kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
                } else {
                    assertThat(futures.get(2)).isNotDone();
                }
                go.countDown();
                futures.get(0).get(10, TimeUnit.SECONDS);
                futures.get(1).get(10, TimeUnit.SECONDS);
                if (policy == WhenFull.WAIT) {
                    futures.get(2).get(10, TimeUnit.SECONDS);
                }
                left.push("right", tensor, processed).get(10, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void whenListenersAreSlowThenFurtherTensorsAreNotAcceptedButNoneIsLost() throws Exception {
        try (FakePair pair = new FakePair(small().listenerThreads(1).listenerQueue(2))) {
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger seen = new AtomicInteger();
            pair.right.transfers().register("slow", "*", "*", received -> {
                go.await();
                seen.incrementAndGet();
                received.close();
            });
            FabricTransfers left = pair.left.transfers();
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                try (Tensor tensor = tensor("t" + i, i % 2 * 1000, 1)) {
                    futures.add(left.push("right", tensor));
                }
            }
            await().until(() ->
                    futures.stream().filter(CompletableFuture::isDone).count() == 3);
            assertThat(seen).hasValue(0);
            assertThat(pair.right.transfers().transfers()).hasSize(10);
            go.countDown();
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
            await().until(() -> seen.get() == 10);
        }
    }

    @Test
    void whenThePoolIsExhaustedThenSmallPushesWaitAndFailInTime() throws Exception {
        try (FakePair pair = new FakePair(small().landingZoneSize(64 << 10).smallThreshold(16 << 10), 128 << 10);
                Tensor tensor = tensor("t", 10_000, 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            FabricTransfers left = pair.left.transfers();
            left.push("right", tensor).get(10, TimeUnit.SECONDS);
            kept.take().close();
            List<BufferLease> rest = new ArrayList<>();
            for (BufferLease l = take(pair); l != null; l = take(pair)) {
                rest.add(l);
            }
            long start = System.nanoTime();
            TransferException e = failure(left.push("right", tensor, SHORT));
            assertThat(e.kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(190), Duration.ofSeconds(5));
            CompletableFuture<TransferReceipt> waiting = left.push("right", tensor);
            assertThat(waiting).isNotDone();
            rest.forEach(BufferLease::close);
            waiting.get(10, TimeUnit.SECONDS);
        }
    }

    private static BufferLease take(FakePair pair) {
        return pair.left.pool.tryAcquire(4096, "test");
    }

    @Test
    void whenLanesAreShallowAndManyPushAtOnceThenNoneIsLostAndTheOrderIsKept() throws Exception {
        try (FakePair pair = new FakePair(small().listenerThreads(1).smallThreshold(16 << 10))) {
            pair.left.faults.laneDepth = 8;
            pair.right.faults.laneDepth = 8;
            List<Long> order = Collections.synchronizedList(new ArrayList<>());
            pair.right.transfers().register("order", "*", "*", received -> {
                order.add(received.transferId());
                received.close();
            });
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                try (Tensor tensor = tensor("t", 1 + i % 500, 1)) {
                    PushOptions options = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
                    futures.add(pair.left.transfers().push("right", tensor, options));
                }
            }
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
            assertThat(order).hasSize(1000).isSorted();
        }
    }

    @Test
    void whenSeveralLargePushesShareALaneThenTheyTakeTurns() throws Exception {
        try (FakePair pair = new FakePair(
                        small().chunksPerTransmission(1).transmissionsPerLane(1).listenerThreads(1));
                Tensor a = tensor("a", 500_000, 1);
                Tensor b = tensor("b", 500_000, 2)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            FabricTransfers left = pair.left.transfers();
            try (Tensor first = tensor("first", 1, 1)) {
                left.push("right", first).get(10, TimeUnit.SECONDS);
            }
            kept.take().close();
            pair.left.faults.stopWire();
            CompletableFuture<TransferReceipt> one = left.push("right", a);
            await().until(() -> left.transfers().get(0).state() == TransferStatus.State.WRITING);
            CompletableFuture<TransferReceipt> two = left.push("right", b);
            await().until(() -> left.transfers().stream()
                            .filter(status -> status.state() == TransferStatus.State.WRITING)
                            .count()
                    == 2);
            pair.left.faults.resume();
            CompletableFuture.allOf(one, two).get(10, TimeUnit.SECONDS);
            for (int i = 0; i < 2; i++) {
                ReceivedTensor received = kept.take();
                assertFilled(received.tensor(), received.tensor().name().equals("a") ? 1 : 2);
                received.close();
            }
        }
    }

    @Test
    void whenManyLargeTensorsNeedZonesOfTheirOwnThenTheyShareWhatTheBudgetAllows() throws Exception {
        try (FakePair pair =
                        new FakePair(small().maxDedicatedBytesPerPeer(5 << 20).maxDedicatedBytes(5 << 20));
                Tensor tensor = tensor("t", 2 << 20, 7)) {
            AtomicInteger seen = new AtomicInteger();
            pair.right.transfers().register("check", "*", "*", received -> {
                assertThat(received.dedicatedZone()).isTrue();
                assertFilled(received.tensor(), 7);
                seen.incrementAndGet();
                received.close();
            });
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                futures.add(pair.left.transfers().push("right", tensor));
            }
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
            await().until(() -> seen.get() == 8);
            // Two zones of 2 MiB, one of 1 MiB.
            assertThat(pair.right.pool.statistics().leases()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void whenATensorIsLargerThanTheBudgetThenTheRefusalNamesBoth() throws Exception {
        try (FakePair pair = new FakePair(small().maxDedicatedBytesPerPeer(1_500_000));
                Tensor tensor = tensor("t", 2 << 20, 7)) {
            pair.keepAtRight();
            TransferException e = failure(pair.left.transfers().push("right", tensor));
            assertThat(e.kind()).isEqualTo(TransferException.Kind.REJECTED);
            assertThat(e).hasMessageContaining("2097152").hasMessageContaining("1500000");
        }
    }

    @Test
    void whenAPeerHasItsNumberOfZonesThenItGetsNoMoreHoweverSmallTheyAre() throws Exception {
        try (FakePair pair = new FakePair(small().maxDedicatedZonesPerPeer(3));
                Tensor tensor = tensor("t", 1, 7)) {
            pair.keepAtRight();
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            FakeConnection connection = pair.left.connection();
            for (int i = 0; i < 3; i++) {
                assertThat(connection.requestZone(1, Duration.ofSeconds(5)).dedicated())
                        .isTrue();
            }
            assertThatThrownBy(() -> connection.requestZone(1, Duration.ofSeconds(5)))
                    .isInstanceOfSatisfying(
                            ConnectionException.class,
                            e -> assertThat(e.kind()).isEqualTo(ConnectionException.Kind.LIMIT))
                    .hasMessageContaining("3 of 3 zones");
        }
    }

    @Test
    void whenADedicatedZoneIsIdleThenItIsTakenBack() throws Exception {
        try (FakePair pair = new FakePair(small().dedicatedZoneIdle(Duration.ofMillis(50)));
                Tensor tensor = tensor("t", 2 << 20, 7)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            for (int i = 0; i < 2; i++) {
                pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
                assertThat(pair.right.pool.statistics().leases()).isEqualTo(2);
                kept.take().close();
                await().until(() -> pair.right.pool.statistics().leases() == 1);
            }
        }
    }

    @Test
    void whenTheBudgetIsTakenByAnIdleZoneThenThatMakesWay() throws Exception {
        try (FakePair pair = new FakePair(small().maxDedicatedBytesPerPeer(5 << 20));
                Tensor two = tensor("two", 2 << 20, 7);
                Tensor four = tensor("four", 4 << 20, 8)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.transfers().push("right", two).get(10, TimeUnit.SECONDS);
            kept.take().close();
            pair.left.transfers().push("right", four).get(10, TimeUnit.SECONDS);
            ReceivedTensor received = kept.take();
            assertFilled(received.tensor(), 8);
            received.close();
        }
    }

    @Test
    void whenThePeerCannotBeAskedForAZoneThenThePushIsTriedAgain() throws Exception {
        try (FakePair pair = new FakePair(small().retry(new RetryOptions(2, Duration.ofMillis(500), 1)));
                Tensor tensor = tensor("t", 2 << 20, 7)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.faults.refuseZones = true;
            assertThat(failure(pair.left.transfers().push("right", tensor)).kind())
                    .isEqualTo(TransferException.Kind.PEER_LOST);
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            await().until(() -> pair.left.transfers().statistics().retries() == 2);
            pair.left.faults.refuseZones = false;
            assertThat(future.get(10, TimeUnit.SECONDS).attempts()).isEqualTo(2);
            kept.take().close();
        }
    }

    @Test
    void whenAnnouncedSizesAreAbsurdThenNothingIsReserved() throws Exception {
        try (FakePair pair = new FakePair(small().maxTensorBytes(1 << 30))) {
            pair.keepAtRight();
            try (Tensor first = tensor("first", 1, 1)) {
                pair.left.transfers().push("right", first).get(10, TimeUnit.SECONDS);
            }
            long before = pair.right.pool.statistics().inUse();
            for (long bytes : new long[] {0, -1, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE, (1 << 30) + 1}) {
                ConnectionException e = catchThrowableOfType(
                        ConnectionException.class,
                        () -> pair.right.transfers().openZone(pair.right.connection(), bytes));
                assertThat(e.kind()).isEqualTo(ConnectionException.Kind.LIMIT);
            }
            assertThat(pair.right.pool.statistics().inUse()).isEqualTo(before);
            // A view that its owner makes from an absurd shape never comes to be.
            assertThat(catchThrowable(
                            () -> new TensorDescriptor("t", DataType.U8, Shape.of(1L << 31, 1L << 31, 1L << 31))))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}

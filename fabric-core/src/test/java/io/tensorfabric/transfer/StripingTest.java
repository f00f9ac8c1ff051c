package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.PullTest.random;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large tensors over several bulk lanes that go their own pace. */
@Timeout(30)
class StripingTest {

    private static final int CHUNK = 64 << 10;

    private static final int THRESHOLD = 512 << 10;

    private static final RetryOptions FAST = new RetryOptions(3, Duration.ofMillis(5), 2);

    private static TransferOptions.Builder options() {
        return small().chunkSize(CHUNK)
                .landingZoneSize(16 << 20)
                .stripeThreshold(THRESHOLD)
                .transmissionsPerLane(2)
                .deviceGrace(Duration.ofSeconds(20))
                .retry(FAST);
    }

    private static FakePair pair(int lanes) {
        FakePair pair = new FakePair(options());
        pair.left.bulkLanes = lanes;
        pair.right.bulkLanes = lanes;
        return pair;
    }

    /** Requests on each bulk lane, from lane 1 on. */
    private static List<Integer> requests(FakePair pair, int lanes) {
        return IntStream.rangeClosed(1, lanes)
                .mapToObj(pair.left.faults.requests::get)
                .toList();
    }

    private static void assertSame(Tensor actual, Tensor expected) {
        assertThat(actual.asByteBuffer()).isEqualTo(expected.asByteBuffer());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4})
    void whenPushedOverSeveralLanesThenEveryByteArrivesAndAllLanesCarrySome(int lanes) throws Exception {
        try (FakePair pair = pair(lanes)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            for (int size : new int[] {THRESHOLD, THRESHOLD + 1, 5_000_001, (16 << 20) + 7}) {
                try (Tensor tensor = random("t" + size, size)) {
                    TransferReceipt receipt = pair.left
                            .transfers()
                            .push("right", tensor, PushOptions.defaults().withChecksum(size % 2 == 1))
                            .get(10, TimeUnit.SECONDS);
                    assertThat(receipt.attempts()).isEqualTo(1);
                    try (ReceivedTensor received = kept.take()) {
                        assertSame(received.tensor(), tensor);
                    }
                }
            }
            assertThat(requests(pair, lanes))
                    .allSatisfy(count -> assertThat(count).isPositive());
        }
    }

    @Test
    void whenATensorIsShorterThanTheThresholdThenOneLaneCarriesIt() throws Exception {
        try (FakePair pair = pair(4);
                Tensor tensor = random("t", THRESHOLD - 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            kept.take().close();
            assertThat(requests(pair, 4)).containsExactlyInAnyOrder(0, 0, 0, THRESHOLD / CHUNK);
        }
    }

    @Test
    void whenATensorIsOfTheThresholdThenEachLaneCarriesItsShare() throws Exception {
        try (FakePair pair = pair(4);
                Tensor tensor = random("t", THRESHOLD)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            kept.take().close();
            assertThat(requests(pair, 4)).containsOnly(THRESHOLD / CHUNK / 4);
        }
    }

    @Test
    void whenOneLaneIsSlowThenTheOthersCarryTheRestAndTheHeaderWaits() throws Exception {
        int size = 4 << 20;
        try (FakePair pair = pair(3);
                Tensor tensor = random("t", size)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.faults.holdLane(2);
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            // Two transmissions of four chunks are with the slow lane.
            await().until(() ->
                    IntStream.of(1, 3).map(pair.left.faults.requests::get).sum() == size / CHUNK - 8);
            await().until(() -> status(pair).placedBytes() == size - 8L * CHUNK);
            assertThat(status(pair).state()).isEqualTo(TransferStatus.State.WRITING);
            assertThat(kept).isEmpty();
            assertThat(future).isNotDone();
            pair.left.faults.releaseLane(pair.left.wire);
            future.get(10, TimeUnit.SECONDS);
            try (ReceivedTensor received = kept.take()) {
                assertSame(received.tensor(), tensor);
            }
        }
    }

    private static TransferStatus status(FakePair pair) {
        return pair.left.transfers().transfers().stream()
                .filter(status -> status.tensor().equals("t"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whenManyArePushedAtOnceThenAllArriveWhole() throws Exception {
        try (FakePair pair = pair(3)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            List<Tensor> tensors = new ArrayList<>();
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                // Some are striped, some take one lane, some the control lane.
                Tensor tensor = random("t" + i, i % 3 == 0 ? 1000 : i % 3 * 400_000 + i);
                tensors.add(tensor);
                futures.add(pair.left.transfers().push("right", tensor));
            }
            for (int i = 0; i < 24; i++) {
                try (ReceivedTensor received = kept.take()) {
                    String name = received.tensor().name();
                    assertSame(received.tensor(), tensors.get(Integer.parseInt(name.substring(1))));
                }
            }
            for (CompletableFuture<TransferReceipt> future : futures) {
                future.get(10, TimeUnit.SECONDS);
            }
            tensors.forEach(Tensor::close);
        }
    }

    @Test
    void whenALaneFailsInTheMiddleThenTheNextAttemptBringsAllOfIt() throws Exception {
        try (FakePair pair = pair(3);
                Tensor tensor = random("t", 4 << 20)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.faults.failAfter(5, WorkCompletionStatus.RETRY_EXC_ERR);
            TransferReceipt receipt =
                    pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            assertThat(receipt.attempts()).isEqualTo(2);
            try (ReceivedTensor received = kept.take()) {
                assertSame(received.tensor(), tensor);
            }
            assertThat(kept).isEmpty();
        }
    }

    @Test
    void whenALaneFailsAndThereIsNoFurtherAttemptThenThePushFailsAndNothingIsDelivered() throws Exception {
        try (FakePair pair = pair(3);
                Tensor tensor = random("t", 4 << 20)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.faults.holdLane(2);
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            await().until(() -> pair.left.faults.held() > 0);
            pair.right.unreachable = true;
            pair.left.faults.failAfter(0, WorkCompletionStatus.REM_OP_ERR);
            pair.left.faults.releaseLane(pair.left.wire);
            TransferException e = failure(future);
            assertThat(e.status()).isEqualTo(WorkCompletionStatus.REM_OP_ERR);
            assertThat(e).hasMessageContaining("'right'").hasMessageContaining("REM_OP_ERR");
            assertThat(kept).isEmpty();
            await().until(() -> pair.left.transfers().statistics().pushesInFlight() == 0);
        }
    }

    /** A tensor that says when its memory is given back. */
    private static Tensor watched(int size, AtomicBoolean freed) {
        long address = OffHeap.allocate(size, 4096);
        OffHeap.fill(address, size, (byte) 7);
        return Tensor.of(new TensorDescriptor("t", DataType.U8, Shape.of(size)), address, () -> {
            freed.set(true);
            OffHeap.free(address);
        });
    }

    @Test
    void whenCancelledInTheMiddleThenItsMemoryComesBackWithTheLastLane() throws Exception {
        AtomicBoolean freed = new AtomicBoolean();
        try (FakePair pair = pair(3)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.faults.holdLane(2);
            Tensor tensor = watched(8 << 20, freed);
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            tensor.close();
            await().until(() -> status(pair).placedBytes() == (8 << 20) - 8L * CHUNK);
            assertThat(future.cancel(true)).isTrue();
            assertThat(freed).isFalse();
            pair.left.faults.releaseLane(pair.left.wire);
            await().untilTrue(freed);
            assertThat(kept).isEmpty();
            assertRoomIsBack(pair, kept);
        }
    }

    @Test
    void whenItsDeadlinePassesInTheMiddleThenNoMoreIsPostedAndItsMemoryComesBackWithTheLastLane() throws Exception {
        AtomicBoolean freed = new AtomicBoolean();
        try (FakePair pair = pair(2)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            try (Tensor first = random("first", 1)) {
                pair.left.transfers().push("right", first).get(10, TimeUnit.SECONDS);
                kept.take().close();
            }
            pair.left.faults.stopWire();
            Tensor tensor = watched(8 << 20, freed);
            CompletableFuture<TransferReceipt> future = pair.left
                    .transfers()
                    .push("right", tensor, PushOptions.defaults().withDeadline(Duration.ofMillis(100)));
            tensor.close();
            assertThat(failure(future)).isInstanceOf(DeadlineExceededException.class);
            assertThat(freed).isFalse();
            pair.left.faults.resume();
            await().untilTrue(freed);
            // Two transmissions of four chunks on each of two lanes.
            assertThat(requests(pair, 2)).containsOnly(8);
            assertRoomIsBack(pair, kept);
        }
    }

    /** A tensor that takes all of the landing zone finds its place. */
    private static void assertRoomIsBack(FakePair pair, BlockingQueue<ReceivedTensor> kept) throws Exception {
        try (Tensor all = random("all", 16 << 20)) {
            pair.left.transfers().push("right", all).get(10, TimeUnit.SECONDS);
            try (ReceivedTensor received = kept.take()) {
                assertSame(received.tensor(), all);
                assertThat(received.dedicatedZone()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void whenPulledOverSeveralLanesThenEveryByteIsHereAndAllLanesCarrySome(int lanes) throws Exception {
        try (FakePair pair = pair(lanes);
                Tensor tensor = random("weights", 5_000_001);
                PublishedTensor published = pair.right.transfers().publish(tensor, PublishOptions.readable());
                Tensor into = PullTest.empty(5_000_001)) {
            TransferReceipt receipt = pair.left
                    .transfers()
                    .pull("right", published.name(), into, RegionOptions.defaults())
                    .get(10, TimeUnit.SECONDS);
            assertThat(receipt.level()).isEqualTo(ReceiptLevel.PLACED);
            assertSame(into, tensor);
            assertThat(requests(pair, lanes))
                    .allSatisfy(count -> assertThat(count).isPositive());
        }
    }

    @Test
    void whenALaneIsSlowThenAPullEndsWithIt() throws Exception {
        try (FakePair pair = pair(2);
                Tensor tensor = random("t", 4 << 20);
                PublishedTensor published = pair.right.transfers().publish(tensor, PublishOptions.readable());
                Tensor into = PullTest.empty(4 << 20)) {
            pair.left.faults.holdLane(1);
            CompletableFuture<TransferReceipt> future =
                    pair.left.transfers().pull("right", published.name(), into, RegionOptions.defaults());
            await().until(() -> pair.left.faults.requests.get(2) == (4 << 20) / CHUNK - 8);
            assertThat(future).isNotDone();
            pair.left.faults.releaseLane(pair.left.wire);
            future.get(10, TimeUnit.SECONDS);
            assertSame(into, tensor);
        }
    }

    @Test
    void whenPutOverSeveralLanesThenTheOwnerHearsOfItWhenAllBytesAreThere() throws Exception {
        BlockingQueue<PutEvent> events = new LinkedBlockingQueue<>();
        try (FakePair pair = pair(3);
                Tensor target = PullTest.empty(4 << 20);
                Tensor named = target.withName("t");
                Tensor source = random("mine", 4 << 20);
                PublishedTensor published = pair.right
                        .transfers()
                        .publish(
                                named,
                                PublishOptions.readable().withWriters("*").withOnPut(events::add))) {
            pair.left.faults.holdLane(3);
            CompletableFuture<TransferReceipt> future =
                    pair.left.transfers().put("right", published.name(), source, RegionOptions.defaults());
            await().until(() ->
                    pair.left.faults.requests.get(1) + pair.left.faults.requests.get(2) == (4 << 20) / CHUNK - 8);
            assertThat(events).isEmpty();
            pair.left.faults.releaseLane(pair.left.wire);
            future.get(10, TimeUnit.SECONDS);
            assertThat(events.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertSame(named, source);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void whenLanesAreOfSoftwareDevicesThenPushesAndPullsAreByteExactToo(int lanes) throws Exception {
        int size = 9_000_001;
        try (SoftPair pair = new SoftPair(
                        options(),
                        node -> node.options(
                                TwoNodes.quickOptions().bulkLanes(lanes).build()));
                Tensor tensor = random("weights", size);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable());
                Tensor into = PullTest.empty(size)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtB();
            for (int round = 0; round < 3; round++) {
                pair.a()
                        .push(TwoNodes.B, tensor, PushOptions.defaults().withChecksum(true))
                        .get(20, TimeUnit.SECONDS);
                try (ReceivedTensor received = kept.take()) {
                    assertSame(received.tensor(), tensor);
                }
            }
            pair.a()
                    .pull(TwoNodes.B, published.name(), into, RegionOptions.defaults())
                    .get(20, TimeUnit.SECONDS);
            assertSame(into, tensor);
        }
    }
}

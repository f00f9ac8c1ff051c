package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PullTest.empty;
import static io.tensorfabric.transfer.PullTest.random;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which lane a transfer takes by its priority, and which of those that wait goes first. */
@Timeout(30)
class PriorityTest {

    private static final int CHUNK = 64 << 10;

    private static final int SMALL = 16 << 10;

    private static final int LARGE = 10 * CHUNK;

    /** Tensors reach listeners in the order in which they arrived. */
    private static TransferOptions.Builder options() {
        return small().chunkSize(CHUNK)
                .smallThreshold(SMALL)
                .landingZoneSize(16 << 20)
                .stripeThreshold(LARGE)
                .chunksPerTransmission(2)
                .transmissionsPerLane(2)
                .listenerThreads(1);
    }

    private static FakePair pair(TransferOptions.Builder options, int bulkLanes) {
        FakePair pair = new FakePair(options);
        pair.left.bulkLanes = bulkLanes;
        pair.right.bulkLanes = bulkLanes;
        return pair;
    }

    private static CompletableFuture<TransferReceipt> push(FakePair pair, String name, int size, TransferPriority as) {
        try (Tensor tensor = random(name, size)) {
            return pair.left.transfers().to("right").priority(as).push(tensor);
        }
    }

    private static int requests(FakePair pair, int lane) {
        return pair.left.faults.requests.get(lane);
    }

    private static void awaitCount(FakePair pair, TransferStatus.State state, int count) {
        await().until(() -> pair.left.transfers().transfers().stream()
                        .filter(status -> status.state() == state)
                        .count()
                == count);
    }

    private static List<String> names(BlockingQueue<ReceivedTensor> kept, int count) throws InterruptedException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            try (ReceivedTensor received = kept.take()) {
                names.add(received.tensor().name());
            }
        }
        return names;
    }

    /** A connection, and all that was to be sent over it. */
    private static void connect(FakePair pair, BlockingQueue<ReceivedTensor> kept) throws Exception {
        push(pair, "first", 0, TransferPriority.NORMAL).get(10, TimeUnit.SECONDS);
        kept.take().close();
    }

    @Test
    void whenNothingIsSaidThenTheSizeDecidesOnTheLane() throws Exception {
        try (FakePair pair = pair(options(), 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            push(pair, "small", SMALL, PushOptions.defaults().priority()).get(10, TimeUnit.SECONDS);
            assertThat(requests(pair, 0)).isEqualTo(1);
            push(pair, "large", SMALL + 1, TransferPriority.NORMAL).get(10, TimeUnit.SECONDS);
            assertThat(requests(pair, 0)).isEqualTo(1);
            assertThat(requests(pair, 1)).isEqualTo(1);
            names(kept, 2);
        }
    }

    @Test
    void whenAnUrgentOneFollowsOneThatCanWaitThenItOvertakesItOnTheControlLane() throws Exception {
        try (FakePair pair = pair(options(), 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.faults.holdLane(1);
            CompletableFuture<TransferReceipt> large = push(pair, "large", LARGE, TransferPriority.NORMAL);
            CompletableFuture<TransferReceipt> low = push(pair, "low", 5 * SMALL, TransferPriority.LOW);
            CompletableFuture<TransferReceipt> high = push(pair, "high", 5 * SMALL, TransferPriority.HIGH);

            high.get(10, TimeUnit.SECONDS);

            assertThat(requests(pair, 0)).isEqualTo(5);
            assertThat(requests(pair, 1)).isZero();
            assertThat(large).isNotDone();
            assertThat(low).isNotDone();
            assertThat(names(kept, 1)).containsExactly("high");
            pair.left.faults.releaseLane(pair.left.wire);
            low.get(10, TimeUnit.SECONDS);
            assertThat(requests(pair, 0)).isEqualTo(5);
            assertThat(names(kept, 2)).containsExactly("large", "low");
        }
    }

    @Test
    void whenASmallOneCanWaitThenItWaitsOnABulkLane() throws Exception {
        try (FakePair pair = pair(options(), 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            connect(pair, kept);
            pair.left.faults.holdLane(0);
            push(pair, "low", 1000, TransferPriority.LOW).get(10, TimeUnit.SECONDS);
            assertThat(requests(pair, 0)).isZero();
            assertThat(requests(pair, 1)).isEqualTo(1);
            names(kept, 1);
            pair.left.faults.releaseLane(pair.left.wire);
        }
    }

    @Test
    void whenAnUrgentOneIsLargeThenASmallOneWaitsForTwoOfItsPiecesOnly() throws Exception {
        try (FakePair pair = pair(options(), 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            connect(pair, kept);
            pair.left.faults.holdLane(0);
            CompletableFuture<TransferReceipt> high = push(pair, "high", LARGE, TransferPriority.HIGH);
            CompletableFuture<TransferReceipt> other = push(pair, "other", LARGE, TransferPriority.HIGH);
            await().until(() -> pair.left.faults.held() == 2);
            CompletableFuture<TransferReceipt> small = push(pair, "small", 1000, TransferPriority.NORMAL);
            // With the device in this order: two pieces, the small one.
            await().until(() -> pair.left.faults.held() == 3);
            pair.left.faults.releaseLane(pair.left.wire);
            small.get(10, TimeUnit.SECONDS);
            high.get(10, TimeUnit.SECONDS);
            other.get(10, TimeUnit.SECONDS);
            assertThat(names(kept, 3)).startsWith("small");
            assertThat(requests(pair, 0)).isEqualTo(1 + 2 * LARGE / SMALL);
            assertThat(requests(pair, 1)).isZero();
        }
    }

    @Test
    void whenAnUrgentOneIsCancelledHalfwayThenNoMoreOfItIsSentAndItsRoomIsBack() throws Exception {
        try (FakePair pair = pair(options(), 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            connect(pair, kept);
            pair.left.faults.holdLane(0);
            CompletableFuture<TransferReceipt> high = push(pair, "high", LARGE, TransferPriority.HIGH);
            await().until(() -> pair.left.faults.held() == 2);
            assertThat(high.cancel(true)).isTrue();
            pair.left.faults.releaseLane(pair.left.wire);
            push(pair, "all", 16 << 20, TransferPriority.HIGH).get(10, TimeUnit.SECONDS);
            try (ReceivedTensor received = kept.take()) {
                assertThat(received.tensor().name()).isEqualTo("all");
                assertThat(received.dedicatedZone()).isFalse();
            }
            assertThat(requests(pair, 0)).isEqualTo(2 + (16 << 20) / SMALL);
            assertThat(kept).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void whenSomeWaitForBulkLanesThenThoseThatCanWaitComeLast(int lanes) throws Exception {
        try (FakePair pair = pair(options(), lanes)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            connect(pair, kept);
            pair.left.faults.stopWire();
            // Fills the lanes, before any other has its memory ready.
            push(pair, "first", 4 * LARGE, TransferPriority.NORMAL);
            awaitCount(pair, TransferStatus.State.WRITING, 1);
            push(pair, "low", LARGE, TransferPriority.LOW);
            push(pair, "second", 2 * LARGE, TransferPriority.NORMAL);
            push(pair, "third", LARGE - 1, TransferPriority.NORMAL);
            awaitCount(pair, TransferStatus.State.WRITING, 4);
            pair.left.faults.resume();
            assertThat(names(kept, 4)).endsWith("low");
        }
    }

    @Test
    void whenSomeWaitForTheirTurnThenTheHighestPriorityStartsFirst() throws Exception {
        try (FakePair pair = pair(options().maxInFlight(1), 1)) {
            CountDownLatch go = new CountDownLatch(1);
            pair.right.transfers().register("slow", "blocker", "*", received -> {
                go.await();
                received.close();
            });
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            PushSpec spec = pair.left.transfers().to("right").receipt(ReceiptLevel.PROCESSED);
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            try (Tensor tensor = tensor("t", 10, 1)) {
                futures.add(spec.name("blocker").push(tensor));
                for (int round = 1; round <= 2; round++) {
                    for (TransferPriority priority : TransferPriority.values()) {
                        futures.add(spec.name(priority + " " + round)
                                .priority(priority)
                                .push(tensor));
                    }
                }
            }
            go.countDown();
            assertThat(names(kept, 6)).containsExactly("HIGH 1", "HIGH 2", "NORMAL 1", "NORMAL 2", "LOW 1", "LOW 2");
            for (CompletableFuture<TransferReceipt> future : futures) {
                future.get(10, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void whenSomeWaitForRoomThenTheHighestPriorityGetsItFirst() throws Exception {
        int half = (8 << 20) + 1;
        try (FakePair pair = pair(options(), 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            push(pair, "full", half, TransferPriority.NORMAL).get(10, TimeUnit.SECONDS);
            push(pair, "low", half, TransferPriority.LOW);
            push(pair, "normal", half, TransferPriority.NORMAL);
            push(pair, "high", half, TransferPriority.HIGH);
            awaitCount(pair, TransferStatus.State.QUEUED, 3);
            assertThat(names(kept, 4)).containsExactly("full", "high", "normal", "low");
        }
    }

    @Test
    void whenAZoneIsRefusedThenThePushFailsForWhichItWasAskedAndNotTheOneThatOvertookIt() throws Exception {
        int size = 2 << 20;
        try (FakePair pair = pair(options().landingZoneSize(1 << 20).maxDedicatedBytes(size), 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            connect(pair, kept);
            CountDownLatch answer = pair.left.faults.holdZones();
            CompletableFuture<TransferReceipt> low = push(pair, "low", size + 1, TransferPriority.LOW);
            await().until(() -> pair.left.faults.zonesAsked() == 1);
            CompletableFuture<TransferReceipt> high = push(pair, "high", size, TransferPriority.HIGH);
            awaitCount(pair, TransferStatus.State.QUEUED, 2);
            answer.countDown();
            assertThat(failure(low))
                    .isInstanceOf(TransferRejectedException.class)
                    .hasMessageContaining("'low'");
            high.get(10, TimeUnit.SECONDS);
            assertThat(names(kept, 1)).containsExactly("high");
        }
    }

    @Test
    void whenPublishedTensorsAreReadAndWrittenThenPrioritiesCountToo() throws Exception {
        try (FakePair pair = pair(options(), 1);
                Tensor tensor = random("weights", LARGE);
                Tensor into = empty(LARGE);
                Tensor part = random("part", 1000);
                PublishedTensor published = pair.right
                        .transfers()
                        .publish(tensor, PublishOptions.readable().withWriters("*"))) {
            RegionSpec spec = pair.left.transfers().at("right", published.name());
            spec.priority(TransferPriority.HIGH).pullAndWait(into);
            assertThat(into.asByteBuffer()).isEqualTo(tensor.asByteBuffer());
            assertThat(requests(pair, 0)).isEqualTo(LARGE / SMALL);
            assertThat(requests(pair, 1)).isZero();

            spec.from(0).priority(TransferPriority.LOW).putAndWait(part);
            assertThat(requests(pair, 1)).isEqualTo(1);
            assertThat(requests(pair, 0)).isEqualTo(LARGE / SMALL);

            spec.priority(TransferPriority.HIGH).pullAndWait().close();
            assertThat(requests(pair, 0)).isEqualTo(2 * LARGE / SMALL);
        }
    }

    @ParameterizedTest
    @EnumSource(TransferPriority.class)
    void whenSeveralArePushedAsOneThenAllHaveThePriority(TransferPriority priority) throws Exception {
        try (FakePair pair = pair(options(), 1);
                Tensor small = random("small", 1000);
                Tensor large = random("large", SMALL + 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.transfers().to("right").priority(priority).pushAllAndWait(List.of(small, large));
            int[] lanes =
                    IntStream.range(0, 2).map(lane -> requests(pair, lane)).toArray();
            switch (priority) {
                case LOW -> assertThat(lanes).containsExactly(0, 2);
                case NORMAL -> assertThat(lanes).containsExactly(1, 1);
                case HIGH -> assertThat(lanes).containsExactly(3, 0);
            }
            names(kept, 2);
        }
    }

    /** With lanes of their own, and all on the only one that there is. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void whenAllPrioritiesAreMixedOnDevicesThenEveryByteArrives(int lanes) throws Exception {
        int[] sizes = {0, 1, SMALL, SMALL + 1, LARGE - 1, LARGE + 1};
        try (SoftPair pair = new SoftPair(
                options().landingZoneSize(1 << 20),
                node -> node.options(TwoNodes.quickOptions().bulkLanes(lanes).build()))) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtB();
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            for (int i = 0; i < 90; i++) {
                int size = sizes[i % sizes.length];
                try (Tensor tensor = random("t" + i, size)) {
                    futures.add(pair.a()
                            .to(TwoNodes.B)
                            .priority(TransferPriority.values()[i / sizes.length % 3])
                            .checksum()
                            .push(tensor));
                }
            }
            for (int i = 0; i < 90; i++) {
                try (ReceivedTensor received = kept.take();
                        Tensor sent = random("sent", (int) received.tensor().byteLength())) {
                    assertThat(received.tensor().asByteBuffer()).isEqualTo(sent.asByteBuffer());
                }
            }
            for (CompletableFuture<TransferReceipt> future : futures) {
                assertThat(future.get(10, TimeUnit.SECONDS).attempts()).isEqualTo(1);
            }
        }
    }

    @Test
    @SuppressWarnings("NullAway") // what is not to be passed
    void whenThereIsNoPriorityThenItIsRefusedAtOnce() {
        assertThatThrownBy(() -> PushOptions.defaults().withPriority(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("priority");
        assertThatThrownBy(() -> RegionOptions.defaults().withPriority(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("priority");
    }
}

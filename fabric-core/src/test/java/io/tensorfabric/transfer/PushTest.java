package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Timeout(30)
class PushTest {

    static TransferException failure(CompletableFuture<?> future) {
        ExecutionException e = catchThrowableOfType(ExecutionException.class, () -> future.get(10, TimeUnit.SECONDS));
        assertThat(e).isNotNull();
        assertThat(e.getCause()).isInstanceOf(TransferException.class);
        return (TransferException) e.getCause();
    }

    static void assertFilled(Tensor tensor, int value) {
        for (long i = 0; i < tensor.byteLength(); i++) {
            if (OffHeap.getByte(tensor.address() + i) != (byte) value) {
                throw new AssertionError("byte " + i + " is " + OffHeap.getByte(tensor.address() + i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 16383, 16384, 16385, 65536, 524_288, 1 << 20, (1 << 20) + 1, 3 << 20})
    void whenPushedThenTheListenerSeesTheSameBytes(int bytes) throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", bytes, 0x5A)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            TransferReceipt receipt =
                    pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            assertThat(receipt.bytes()).isEqualTo(bytes);
            assertThat(receipt.attempts()).isEqualTo(1);
            try (ReceivedTensor received = kept.take()) {
                assertThat(received.tensor().descriptor()).isEqualTo(tensor.descriptor());
                assertThat(received.dedicatedZone()).isEqualTo(bytes > 1 << 20);
                assertFilled(received.tensor(), 0x5A);
            }
        }
    }

    @Test
    void whenThePeerIsUnknownThenThePushSaysSo() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            TransferException e = failure(pair.left.transfers().push("nobody", tensor));
            assertThat(e.kind()).isEqualTo(TransferException.Kind.UNKNOWN_PEER);
            assertThat(e).hasMessageContaining("nobody").hasMessageContaining("'t'");
        }
    }

    @Test
    void whenThereIsNoListenerThenThePushIsRejected() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            TransferException e = failure(pair.left.transfers().push("right", tensor));
            assertThat(e.kind()).isEqualTo(TransferException.Kind.REJECTED);
            assertThat(e).hasMessageContaining("NO_LISTENER");
        }
    }

    @Test
    void everyTypeArrivesBitForBit() throws Exception {
        try (FakePair pair = new FakePair()) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            Random random = new Random(3);
            for (DataType type : DataType.values()) {
                for (long[] dims : new long[][] {{}, {0}, {1, 8, 0, 128}, {8}, {3, 3, 8}, {5, 1, 1000}}) {
                    Shape shape = Shape.of(dims);
                    if (shape.elementCount() * type.bits() % 8 != 0) {
                        continue;
                    }
                    byte[] bytes = new byte[(int) type.byteLength(shape.elementCount())];
                    random.nextBytes(bytes);
                    try (Tensor tensor = Tensor.copyOf(type + "/" + shape, type, shape, bytes)) {
                        pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
                        try (ReceivedTensor received = kept.take()) {
                            assertThat(received.tensor().descriptor()).isEqualTo(tensor.descriptor());
                            byte[] arrived = new byte[bytes.length];
                            received.tensor().asByteBuffer().get(arrived);
                            assertThat(arrived).isEqualTo(bytes);
                        }
                    }
                }
            }
        }
    }

    @Test
    void whenATensorIsEmptyThenNothingIsWritten() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor before = tensor("a", 65536, 0xA5);
                Tensor empty = Tensor.allocate(new TensorDescriptor("e", DataType.F32, Shape.of(1, 8, 0, 128)));
                Tensor after = tensor("b", 65536, 0x5A)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            FabricTransfers left = pair.left.transfers();
            CompletableFuture.allOf(left.push("right", before), left.push("right", empty), left.push("right", after))
                    .get(10, TimeUnit.SECONDS);
            int writes = pair.left.faults.writes.get();
            left.push("right", empty, PushOptions.defaults().withChecksum(true)).get(10, TimeUnit.SECONDS);
            assertThat(pair.left.faults.writes).hasValue(writes);
            for (int i = 0; i < 4; i++) {
                try (ReceivedTensor received = kept.take()) {
                    if (received.tensor().name().equals("e")) {
                        assertThat(received.tensor().shape()).isEqualTo(Shape.of(1, 8, 0, 128));
                        assertThat(received.tensor().byteLength()).isZero();
                    } else {
                        assertFilled(received.tensor(), received.tensor().name().equals("a") ? 0xA5 : 0x5A);
                    }
                }
            }
        }
    }

    @Test
    void whenHeadersAndChecksumGoAlongThenTheListenerHasThem() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor small = tensor("s", 1000, 1);
                Tensor large = tensor("l", 2 << 20, 2)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            PushOptions options =
                    PushOptions.defaults().withChecksum(true).withHeaders(Map.of("trace", "00-é", "", "empty key"));
            for (Tensor tensor : List.of(small, large)) {
                pair.left.transfers().push("right", tensor, options).get(10, TimeUnit.SECONDS);
                try (ReceivedTensor received = kept.take()) {
                    assertThat(received.headers()).isEqualTo(options.headers());
                    assertThat(received.peer()).isEqualTo("left");
                    assertThat(received.peerNodeId()).isEqualTo("id-of-left");
                    assertThat(received.transferId()).isPositive();
                    assertThat(received.toString()).contains(tensor.name()).doesNotContain("address");
                }
            }
        }
    }

    @Test
    void whenBytesChangeOnTheWayThenTheListenerNeverSeesThem() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 1000, 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            kept.take().close();
            pair.left.faults.stopWire();
            CompletableFuture<TransferReceipt> future = pair.left
                    .transfers()
                    .push("right", tensor, PushOptions.defaults().withChecksum(true));
            // The copy of a small tensor is made already: change that, as a broken card would.
            pair.left.faults.damageNext();
            pair.left.faults.resume();
            TransferException e = failure(future);
            assertThat(e).isInstanceOf(ChecksumMismatchException.class);
            assertThat(e.kind()).isEqualTo(TransferException.Kind.REJECTED);
            assertThat(e).hasMessageContaining("CHECKSUM");
            assertThat(kept).isEmpty();
        }
    }

    @Test
    void whenProcessedIsWantedThenTheReceiptComesAfterTheListener() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            CountDownLatch go = new CountDownLatch(1);
            pair.right.transfers().register("slow", "*", "*", received -> {
                go.await();
                received.close();
            });
            FabricTransfers left = pair.left.transfers();
            assertThat(left.push("right", tensor).get(10, TimeUnit.SECONDS).level())
                    .isGreaterThanOrEqualTo(ReceiptLevel.ACCEPTED);
            CompletableFuture<TransferReceipt> processed =
                    left.push("right", tensor, PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED));
            left.push("right", tensor, PushOptions.defaults().withReceipt(ReceiptLevel.PLACED))
                    .get(10, TimeUnit.SECONDS);
            assertThat(processed).isNotDone();
            go.countDown();
            assertThat(processed.get(10, TimeUnit.SECONDS).level()).isEqualTo(ReceiptLevel.PROCESSED);
        }
    }

    @Test
    void whenTheListenerThrowsThenTheSenderLearnsItAndTheRoomComesBack() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 600_000, 1)) {
            pair.right.transfers().register("bad", "*", "*", received -> {
                throw new IllegalArgumentException("not today");
            });
            for (int i = 0; i < 5; i++) {
                TransferException e = failure(pair.left
                        .transfers()
                        .push("right", tensor, PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED)));
                assertThat(e.kind()).isEqualTo(TransferException.Kind.LISTENER_FAILED);
                assertThat(e).hasMessageContaining("not today");
            }
            assertThat(pair.right.transfers().statistics().listenerFailures()).isEqualTo(5);
            assertThat(pair.right.transfers().statistics().openTensors()).isZero();
        }
    }

    @Test
    void whenTheListenerHasNoRoomThenTheSenderMayTryAgainAndTheLogStaysShort() throws Exception {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(ListenerLog.class);
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 600_000, 1)) {
            lines.start();
            logger.addAppender(lines);
            AtomicBoolean full = new AtomicBoolean(true);
            pair.right.transfers().register("store", "t", "*", received -> {
                if (full.get()) {
                    throw new TensorRefusedException("3 bytes left", true);
                }
                received.close();
            });
            pair.right.transfers().register("picky", "*", "*", received -> {
                throw new TensorRefusedException("never", false);
            });
            FabricTransfers left = pair.left.transfers();
            PushOptions processed = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
            for (int i = 0; i < 20; i++) {
                TransferException e = failure(left.push("right", tensor, processed));
                assertThat(e.kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
                assertThat(e).hasMessageContaining("3 bytes left");
            }
            full.set(false);
            left.push("right", tensor, processed).get(10, TimeUnit.SECONDS);
            try (Tensor other = tensor("other", 10, 1)) {
                assertThat(failure(left.push("right", other, processed)).kind())
                        .isEqualTo(TransferException.Kind.REJECTED);
            }
            TransferStatistics statistics = pair.right.transfers().statistics();
            assertThat(statistics.listenerFailures()).isZero();
            assertThat(statistics.rejected()).isEqualTo(21);
            assertThat(lines.list)
                    .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                    .hasSize(2)
                    .allMatch(line -> line.getThrowableProxy() == null);
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void whenAReceivedTensorIsPushedOnThenItsRoomLivesUntilThatIsDone() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("there", 200_000, 6)) {
            BlockingQueue<ReceivedTensor> back = new LinkedBlockingQueue<>();
            pair.left.transfers().register("back", "*", "*", back::add);
            pair.right.transfers().register("forward", "*", "*", received -> {
                pair.right.transfers().push("left", received.tensor());
                received.close();
            });
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            try (ReceivedTensor received = back.take()) {
                assertFilled(received.tensor(), 6);
            }
            assertThat(pair.right.connects).hasValue(0);
            assertThat(pair.left.connects).hasValue(1);
        }
    }

    @Test
    void whenManyThreadsPushAllSizesThenAllArriveAndNothingIsLeft() throws Exception {
        try (FakePair pair = new FakePair()) {
            AtomicLong sum = new AtomicLong();
            pair.right.transfers().register("check", "*", "*", received -> {
                try (received) {
                    if (received.tensor().byteLength() > 0) {
                        assertFilled(received.tensor(), received.tensor().name().hashCode());
                    }
                    sum.addAndGet(received.tensor().byteLength());
                }
            });
            ExecutorService threads = Executors.newFixedThreadPool(64);
            List<Future<Long>> results = new ArrayList<>();
            for (int t = 0; t < 64; t++) {
                int thread = t;
                results.add(threads.submit(() -> {
                    long bytes = 0;
                    for (int i = 0; i < 20; i++) {
                        int size = (thread * 7919 + i * 104_729) % (i % 5 == 0 ? 400_000 : 20_000);
                        String name = "t" + thread + "/" + i;
                        try (Tensor tensor = tensor(name, size, name.hashCode())) {
                            PushOptions options = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
                            bytes += pair.left
                                    .transfers()
                                    .push("right", tensor, options)
                                    .get(20, TimeUnit.SECONDS)
                                    .bytes();
                        }
                    }
                    return bytes;
                }));
            }
            long expected = 0;
            for (Future<Long> result : results) {
                expected += result.get(25, TimeUnit.SECONDS);
            }
            threads.shutdown();
            assertThat(sum).hasValue(expected);
            TransferStatistics left = pair.left.transfers().statistics();
            assertThat(left.pushed()).isEqualTo(64 * 20);
            assertThat(left.pushedBytes()).isEqualTo(expected);
            assertThat(left.pushesInFlight()).isZero();
            assertThat(pair.right.transfers().statistics().received()).isEqualTo(64 * 20);
            assertThat(pair.left.transfers().transfers()).hasSize(256);
        }
    }

    @Test
    void whenTransfersEndThenHistoryAndObserversSeeThem() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("seen", 10, 1)) {
            BlockingQueue<TransferStatus> told = new LinkedBlockingQueue<>();
            pair.left.transfers().addObserver((status, elapsed) -> told.add(status));
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            kept.take().close();
            TransferStatus status = told.take();
            assertThat(status.state()).isEqualTo(TransferStatus.State.DONE);
            assertThat(status.direction()).isEqualTo(TransferStatus.Direction.OUT);
            assertThat(status.peer()).isEqualTo("right");
            assertThat(status.placedBytes()).isEqualTo(10);
            assertThat(pair.left.transfers().transfers()).containsExactly(status);
            await().untilAsserted(() -> assertThat(pair.right.transfers().transfers())
                    .singleElement()
                    .matches(seen -> seen.direction() == TransferStatus.Direction.IN)
                    .matches(seen -> seen.state() == TransferStatus.State.DONE));
        }
    }

    @Test
    void whenArgumentsDoNotFitThenThePushIsInvalid() throws Exception {
        try (FakePair pair = new FakePair(FakePair.small().maxTensorBytes(1000).maxHeadersBytes(10));
                Tensor large = tensor("large", 1001, 1);
                Tensor small = tensor("small", 1, 1)) {
            TransferException tooLarge = failure(pair.left.transfers().push("right", large));
            assertThat(tooLarge.kind()).isEqualTo(TransferException.Kind.INVALID);
            assertThat(tooLarge).hasMessageContaining("1001").hasMessageContaining("1000");
            PushOptions headers = PushOptions.defaults().withHeaders(Map.of("0123456789", "x"));
            assertThat(failure(pair.left.transfers().push("right", small, headers))
                            .kind())
                    .isEqualTo(TransferException.Kind.INVALID);
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.assertFilled;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PushFailureTest {

    private static final PushOptions SHORT = PushOptions.defaults().withDeadline(Duration.ofMillis(200));

    private static final RetryOptions FAST = new RetryOptions(3, Duration.ofMillis(5), 2);

    private static void connect(FakePair pair) throws Exception {
        try (Tensor first = tensor("first", 1, 1)) {
            pair.left
                    .transfers()
                    .push("right", first, PushOptions.defaults().withReceipt(ReceiptLevel.PLACED))
                    .get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenTheDeviceStallsThenTheDeadlineEndsThePushButKeepsItsMemory() throws Exception {
        try (FakePair pair = new FakePair(small().deviceGrace(Duration.ofSeconds(20)))) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            connect(pair);
            kept.take().close();
            AtomicBoolean freed = new AtomicBoolean();
            long memory = OffHeap.allocate(800_000, 64);
            OffHeap.fill(memory, 800_000, (byte) 0xAA);
            TensorDescriptor descriptor = new TensorDescriptor("a", DataType.U8, Shape.of(800_000));
            Tensor a = Tensor.of(descriptor, memory, () -> {
                freed.set(true);
                OffHeap.free(memory);
            });
            pair.left.faults.stopWire();
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", a, SHORT);
            a.close();
            TransferException e = failure(future);
            assertThat(e.kind()).isEqualTo(TransferException.Kind.DEADLINE);
            assertThat(e)
                    .hasMessageContaining("'right'")
                    .hasMessageContaining("'a'")
                    .hasMessageContaining("bytes placed");
            assertThat(freed).isFalse();
            // The room is not reused either: a tensor of the same size has to wait for it.
            try (Tensor b = tensor("b", 800_000, 0xBB)) {
                assertThat(failure(pair.left.transfers().push("right", b, SHORT))
                                .kind())
                        .isEqualTo(TransferException.Kind.BACKPRESSURE);
                pair.left.faults.resume();
                await().untilTrue(freed);
                CompletableFuture<TransferReceipt> second =
                        pair.left.transfers().push("right", b);
                // All of a was with the device already, so it arrives, late.
                ReceivedTensor late = kept.take();
                assertFilled(late.tensor(), 0xAA);
                assertThat(second).isNotDone();
                late.close();
                second.get(10, TimeUnit.SECONDS);
                ReceivedTensor received = kept.take();
                assertFilled(received.tensor(), 0xBB);
                received.close();
            }
        }
    }

    @Test
    void whenTheDeviceNeverLetsGoThenTheConnectionIsGivenUp() throws Exception {
        try (FakePair pair = new FakePair(small().deviceGrace(Duration.ofMillis(100)));
                Tensor tensor = tensor("t", 500_000, 1)) {
            pair.keepAtRight();
            connect(pair);
            FakeConnection connection = pair.left.connection();
            pair.left.faults.stopWire();
            assertThat(failure(pair.left.transfers().push("right", tensor, SHORT))
                            .kind())
                    .isEqualTo(TransferException.Kind.DEADLINE);
            await().until(() -> connection.failure() != null);
            assertThat(connection.failure()).hasMessageContaining("still works on an ended push");
            await().until(() -> pair.left.transfers().statistics().pushesInFlight() == 0);
        }
    }

    @Test
    void whenThePeerDoesNotAnswerThenTheDeadlineNamesWhatIsMissing() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            pair.keepAtRight();
            connect(pair);
            pair.right.faults.stopWire();
            TransferException e = failure(pair.left.transfers().push("right", tensor, SHORT));
            assertThat(e.kind()).isEqualTo(TransferException.Kind.DEADLINE);
            assertThat(e).hasMessageContaining("receipt").hasMessageContaining("10 bytes placed");
            pair.right.faults.resume();
        }
    }

    @Test
    void whenPlacingIsNotReportedThenThereIsNoReceipt() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            connect(pair);
            kept.take().close();
            pair.left.faults.holdWireCompletions();
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            kept.take().close();
            assertThat(future).isNotDone();
            pair.left.faults.resume();
            future.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenCancelledThenWhatIsNotPostedStaysHere() throws Exception {
        try (FakePair pair = new FakePair(small().chunksPerTransmission(1).transmissionsPerLane(1));
                Tensor tensor = tensor("t", 900_000, 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            connect(pair);
            kept.take().close();
            int writes = pair.left.faults.writes.get();
            pair.left.faults.stopWire();
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            await().until(() -> pair.left.transfers().transfers().stream()
                    .anyMatch(status -> status.state() == TransferStatus.State.WRITING));
            assertThat(future.cancel(true)).isTrue();
            assertThat(future.isCancelled()).isTrue();
            pair.left.faults.resume();
            await().until(() -> pair.left.transfers().statistics().pushesInFlight() == 0);
            assertThat(pair.left.faults.writes.get() - writes).isEqualTo(1);
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            kept.take().close();
            assertThat(pair.left.transfers().statistics().pushesCancelled()).isEqualTo(1);
        }
    }

    @Test
    void whenTheCallerSetsATimeoutOfItsOwnThenThePushIsDropped() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            pair.keepAtRight();
            connect(pair);
            pair.left.faults.stopWire();
            CompletableFuture<TransferReceipt> future =
                    pair.left.transfers().push("right", tensor).orTimeout(50, TimeUnit.MILLISECONDS);
            await().until(future::isCompletedExceptionally);
            pair.left.faults.resume();
            await().until(() -> pair.left.transfers().statistics().pushesInFlight() == 0);
        }
    }

    @Test
    void whenTheConnectionIsLostThenThePushIsSentAgainAndDeliveredOnce() throws Exception {
        try (FakePair pair = new FakePair(small().retry(FAST));
                Tensor tensor = tensor("t", 500_000, 5)) {
            AtomicInteger delivered = new AtomicInteger();
            pair.right.transfers().register("count", "t", "*", received -> {
                delivered.incrementAndGet();
                assertFilled(received.tensor(), 5);
                received.close();
            });
            pair.right.transfers().register("rest", "*", "*", ReceivedTensor::close);
            connect(pair);
            // It arrives, but its answers do not; then the connection breaks.
            pair.right.faults.stopWire();
            PushOptions options = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor, options);
            await().until(() -> delivered.get() == 1);
            pair.left
                    .connection()
                    .fail(new ConnectionException(
                            ConnectionException.Kind.LOST,
                            "right",
                            "The cable was cut",
                            WorkCompletionStatus.RETRY_EXC_ERR,
                            null));
            pair.right.faults.resume();
            TransferReceipt receipt = future.get(10, TimeUnit.SECONDS);
            assertThat(receipt.attempts()).isEqualTo(2);
            assertThat(receipt.level()).isEqualTo(ReceiptLevel.PROCESSED);
            assertThat(delivered).hasValue(1);
            assertThat(pair.right.transfers().statistics().duplicates()).isEqualTo(1);
            assertThat(pair.left.transfers().statistics().retries()).isEqualTo(1);
            assertThat(pair.left.connects).hasValue(2);
        }
    }

    @Test
    void whenTheFirstDeliveryStillRunsThenTheRetryIsAnsweredByIt() throws Exception {
        try (FakePair pair = new FakePair(small().retry(FAST));
                Tensor tensor = tensor("t", 100, 5)) {
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger delivered = new AtomicInteger();
            pair.right.transfers().register("slow", "t", "*", received -> {
                delivered.incrementAndGet();
                go.await();
                assertFilled(received.tensor(), 5);
                received.close();
            });
            PushOptions options = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor, options);
            await().until(() -> delivered.get() == 1);
            pair.left.connection().fail(new ConnectionException(ConnectionException.Kind.LOST, "right", "cut"));
            await().until(() -> pair.right.transfers().statistics().duplicates() == 1);
            assertThat(future).isNotDone();
            go.countDown();
            assertThat(future.get(10, TimeUnit.SECONDS).attempts()).isEqualTo(2);
            assertThat(delivered).hasValue(1);
        }
    }

    @Test
    void whenNoAttemptSucceedsThenThePushNamesPeerAndStatus() throws Exception {
        try (FakePair pair = new FakePair(small().retry(FAST));
                Tensor tensor = tensor("t", 500_000, 5)) {
            pair.keepAtRight();
            connect(pair);
            pair.right.unreachable = true;
            pair.left.faults.failAfter(0, WorkCompletionStatus.RETRY_EXC_ERR);
            TransferException e = failure(pair.left.transfers().push("right", tensor));
            assertThat(e.kind()).isEqualTo(TransferException.Kind.PEER_LOST);
            assertThat(e.peer()).isEqualTo("right");
            assertThat(e.status()).isEqualTo(WorkCompletionStatus.RETRY_EXC_ERR);
            assertThat(e)
                    .hasMessageContaining("right")
                    .hasMessageContaining("RETRY_EXC_ERR")
                    .hasMessageContaining("attempt 3");
            pair.right.unreachable = false;
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenAWriteFailsThenTheNextAttemptSucceeds() throws Exception {
        try (FakePair pair = new FakePair(small().retry(FAST));
                Tensor tensor = tensor("t", 500_000, 5)) {
            pair.keepAtRight();
            connect(pair);
            pair.left.faults.failAfter(1, WorkCompletionStatus.REM_ACCESS_ERR);
            TransferReceipt receipt =
                    pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            assertThat(receipt.attempts()).isEqualTo(2);
        }
    }

    @Test
    void whenOneWriteFailsThenAllBehindItAreFlushedWithTheFirstErrorAsCause() throws Exception {
        try (FakePair pair = new FakePair(small().retry(RetryOptions.none()))) {
            AtomicInteger delivered = new AtomicInteger();
            pair.right.transfers().register("count", "*", "*", received -> {
                delivered.incrementAndGet();
                received.close();
            });
            connect(pair);
            pair.left.faults.laneDepth = 200;
            pair.left.faults.stopWire();
            pair.left.faults.failAfter(9, WorkCompletionStatus.REM_ACCESS_ERR);
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            PushOptions options = PushOptions.defaults().withReceipt(ReceiptLevel.PLACED);
            AtomicInteger ends = new AtomicInteger();
            for (int i = 0; i < 100; i++) {
                try (Tensor tensor = tensor("t" + i, 100, i)) {
                    CompletableFuture<TransferReceipt> future =
                            pair.left.transfers().push("right", tensor, options);
                    future.whenComplete((receipt, error) -> ends.incrementAndGet());
                    futures.add(future);
                }
            }
            // The stopped wire may hold a release of the first tensor before them.
            pair.left.faults.resume();
            for (int i = 0; i < 9; i++) {
                futures.get(i).get(10, TimeUnit.SECONDS);
            }
            TransferException tenth = failure(futures.get(9));
            assertThat(tenth.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            for (int i = 10; i < 100; i++) {
                TransferException flushed = failure(futures.get(i));
                assertThat(flushed.kind()).isEqualTo(TransferException.Kind.PEER_LOST);
                assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
                assertThat(((ConnectionException) flushed.getCause()).status())
                        .isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            }
            await().until(() -> ends.get() == 100);
        }
    }

    @Test
    void whenTheConnectorFailsInItsOwnWayThenThePushFailsAtOnce() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            pair.left.connectFailure = new IllegalStateException("circuit breaker is open");
            TransferException e = failure(pair.left.transfers().push("right", tensor));
            assertThat(e.kind()).isEqualTo(TransferException.Kind.PEER_LOST);
            assertThat(e).hasMessageContaining("circuit breaker is open");
            assertThat(pair.left.connects).hasValue(1);
        }
    }

    @Test
    void whenAPeerBreaksTheProtocolThenItsConnectionFails() throws Exception {
        try (FakePair pair = new FakePair()) {
            pair.keepAtRight();
            connect(pair);
            FakeConnection atRight = pair.right.connection();
            pair.right.transfers().received(atRight, atRight.lane(0), 0x7f, ProtocolExamples.body(new byte[8]));
            await().until(() -> atRight.failure() != null);
            assertThat(atRight.failure().kind()).isEqualTo(ConnectionException.Kind.MALFORMED);
            connect(pair);
            FakeConnection again = pair.right.connection();
            assertThat(again).isNotSameAs(atRight);
            // A tensor outside of the granted zone.
            java.nio.ByteBuffer body = ProtocolExamples.empty();
            TensorDescriptor descriptor = new TensorDescriptor("t", DataType.U8, Shape.of(100));
            TensorMessage.write(body, 99, 1, PushOptions.defaults(), LandingKind.ANY, 0, 1, (1 << 20) - 99, descriptor);
            pair.right.transfers().received(again, again.lane(0), TransferMessages.TENSOR, body.flip());
            await().until(() -> again.failure() != null);
            assertThat(again.failure()).hasMessageContaining("outside the zones");
        }
    }

    @Test
    void whenViewsAreOpenAsTheConnectionEndsThenTheyStayReadable() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 300_000, 3);
                Tensor large = tensor("large", 2 << 20, 4)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            pair.left.transfers().push("right", large).get(10, TimeUnit.SECONDS);
            ReceivedTensor first = kept.take();
            ReceivedTensor second = kept.take();
            pair.left.connection().fail(new ConnectionException(ConnectionException.Kind.LOST, "right", "cut"));
            await().until(() -> pair.left.pool.statistics().leases() == 0);
            assertFilled(first.tensor(), 3);
            assertFilled(second.tensor(), 4);
            assertThat(pair.right.pool.statistics().leases()).isEqualTo(2);
            first.close();
            second.close();
            second.close();
            assertThat(pair.right.pool.statistics().leases()).isZero();
        }
    }

    @Test
    void cancellingAnEndedPushChangesNothing() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            pair.right.transfers().register("all", "*", "*", ReceivedTensor::close);
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            future.get(10, TimeUnit.SECONDS);
            assertThat(future.cancel(true)).isFalse();
            assertThat(future.completeExceptionally(new CancellationException()))
                    .isFalse();
            assertThat(future.get().bytes()).isEqualTo(10);
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.PullTest.options;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tensors that node B publishes and node A writes into, over software devices. */
@Timeout(60)
class PutTest {

    private static final RegionOptions PLAIN = RegionOptions.defaults();

    private static PublishOptions writable(PutListener listener) {
        return PublishOptions.readable().withWriters("*").withOnPut(listener);
    }

    @Test
    void whenPutThenEveryByteIsThereBeforeTheOwnerHearsOfIt() throws Exception {
        BlockingQueue<PutEvent> events = new LinkedBlockingQueue<>();
        BlockingQueue<byte[]> seen = new LinkedBlockingQueue<>();
        try (SoftPair pair = new SoftPair(options())) {
            for (int size : new int[] {0, 1, 65_536, 65_537, 9_000_001}) {
                try (Tensor target = PullTest.empty(size);
                        Tensor named = target.withName("kv" + size);
                        Tensor source = PullTest.random("mine", size);
                        PublishedTensor published = pair.b().publish(named, writable(put -> {
                            byte[] bytes = new byte[size];
                            named.asByteBuffer().get(bytes);
                            seen.add(bytes);
                            events.add(put);
                        }))) {
                    TransferReceipt receipt = pair.a()
                            .put(TwoNodes.B, "kv" + size, source, PLAIN.withChecksum(size % 2 == 1))
                            .get(20, TimeUnit.SECONDS);
                    assertThat(receipt.level()).isEqualTo(ReceiptLevel.ACCEPTED);
                    assertThat(receipt.tensor()).isEqualTo("kv" + size);
                    PutEvent event = events.poll(10, TimeUnit.SECONDS);
                    assertThat(event)
                            .isEqualTo(
                                    new PutEvent("kv" + size, TwoNodes.A, TwoNodes.A, receipt.transferId(), 0, size));
                    assertThat(ByteBuffer.wrap(seen.take())).isEqualTo(source.asByteBuffer());
                    assertThat(published.peers()).containsExactly(TwoNodes.A);
                }
            }
            pair.awaitSourceMemoryBack();
        }
    }

    @Test
    void whenAPartIsPutThenTheRestStays() throws Exception {
        BlockingQueue<PutEvent> events = new LinkedBlockingQueue<>();
        try (SoftPair pair = new SoftPair(options());
                Tensor target = PullTest.random("kv", 300_000);
                Tensor before = PullTest.random("kv", 300_000);
                Tensor block = PullTest.random("block", 100_000);
                PublishedTensor published = pair.b().publish(target, writable(events::add))) {
            assertThat(published.isOpen()).isTrue();
            RegionSpec spec = pair.a().at(TwoNodes.B, "kv").receipt(ReceiptLevel.PROCESSED);
            assertThat(spec.from(150_000).putAndWait(block).level()).isEqualTo(ReceiptLevel.PROCESSED);
            assertThat(events).extracting(PutEvent::offset).containsExactly(150_000L);
            assertThat(target.asByteBuffer(0, 150_000)).isEqualTo(before.asByteBuffer(0, 150_000));
            assertThat(target.asByteBuffer(150_000, 100_000)).isEqualTo(block.asByteBuffer());
            assertThat(target.asByteBuffer(250_000, 50_000)).isEqualTo(before.asByteBuffer(250_000, 50_000));
            assertThatThrownBy(() -> spec.from(200_001).putAndWait(block)).isInstanceOf(TensorMismatchException.class);
            try (Tensor other = Tensor.copyOf("l", DataType.I8, Shape.of(300_000), new byte[300_000])) {
                assertThat(failure(pair.a().put(TwoNodes.B, "kv", other, PLAIN)))
                        .isInstanceOf(TensorMismatchException.class);
            }
            assertThat(target.asByteBuffer(0, 150_000)).isEqualTo(before.asByteBuffer(0, 150_000));
            assertThat(events).hasSize(1);
        }
    }

    @Test
    void whenThePeerMayNotWriteThenNothingChanges() {
        try (SoftPair pair = new SoftPair(options());
                Tensor target = PullTest.random("w", 100);
                Tensor before = PullTest.random("w", 100);
                Tensor source = PullTest.empty(100)) {
            for (PublishOptions options : List.of(
                    PublishOptions.readable(),
                    PublishOptions.readable().withWriters("node-c"),
                    PublishOptions.readable().withReaders().withWriters("node-c"))) {
                try (PublishedTensor published = pair.b().publish(target, options)) {
                    assertThat(failure(pair.a().put(TwoNodes.B, "w", source, PLAIN)))
                            .isInstanceOf(TransferNotPermittedException.class)
                            .hasMessageContaining("'w'")
                            .hasMessageContaining("'node-b'");
                    assertThat(target.asByteBuffer()).isEqualTo(before.asByteBuffer());
                    assertThat(published.isOpen()).isTrue();
                }
            }
        }
    }

    @Test
    void whenThePeerHasNoRightToPublishThenItMayNotWriteThoughItIsNamed() {
        try (SoftPair pair = new SoftPair(
                        options(), builder -> builder.policy(nodeId -> EnumSet.of(PeerRight.PUSH, PeerRight.PULL)));
                Tensor target = PullTest.random("w", 100);
                Tensor source = PullTest.empty(100);
                PublishedTensor published = pair.b().publish(target, writable(put -> {}))) {
            assertThat(failure(pair.a().put(TwoNodes.B, "w", source, PLAIN)))
                    .isInstanceOf(TransferNotPermittedException.class)
                    .hasMessageContaining("may not write into");
            assertThat(published.isOpen()).isTrue();
        }
    }

    @Test
    void whenTheListenerThrowsThenWhoWaitsForItHearsSo() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        CountDownLatch second = new CountDownLatch(1);
        try (SoftPair pair = new SoftPair(options());
                Tensor target = PullTest.random("w", 100);
                Tensor source = PullTest.empty(100);
                PublishedTensor published = pair.b().publish(target, writable(put -> {
                    if (fails.getAndSet(false)) {
                        throw new IllegalStateException("not now");
                    }
                    second.countDown();
                }))) {
            assertThat(published.isOpen()).isTrue();
            assertThat(failure(pair.a().put(TwoNodes.B, "w", source, PLAIN.withReceipt(ReceiptLevel.PROCESSED))))
                    .isInstanceOf(ListenerFailedException.class)
                    .hasMessageContaining("not now");
            assertThat(target.asByteBuffer()).isEqualTo(source.asByteBuffer());
            pair.a().put(TwoNodes.B, "w", source, PLAIN).get(10, TimeUnit.SECONDS);
            assertThat(second.await(10, TimeUnit.SECONDS)).isTrue();
            await().until(() -> pair.b().statistics().received() == 1);
            assertThat(pair.b().statistics().listenerFailures()).isEqualTo(1);
        }
    }

    @Test
    void whenTheConnectionIsLostBeforeTheOwnerCanKnowThenThePutIsTriedAgain() throws Exception {
        BlockingQueue<PutEvent> events = new LinkedBlockingQueue<>();
        try (SoftPair pair = new SoftPair(options().chunksPerTransmission(1).transmissionsPerLane(1));
                Tensor named = PullTest.empty(8_000_000);
                Tensor target = named.withName("kv");
                Tensor source = PullTest.random("mine", 8_000_000);
                PublishedTensor published = pair.b().publish(target, writable(events::add))) {
            assertThat(published.isOpen()).isTrue();
            pair.nodes.connect();
            pair.nodes.a().faults().failWorkRequests(40, 1, WorkCompletionStatus.RETRY_EXC_ERR);
            TransferReceipt receipt = pair.a()
                    .at(TwoNodes.B, "kv")
                    .receipt(ReceiptLevel.PROCESSED)
                    .put(source)
                    .get(20, TimeUnit.SECONDS);
            assertThat(receipt.attempts()).isEqualTo(2);
            assertThat(target.asByteBuffer()).isEqualTo(source.asByteBuffer());
            assertThat(events).hasSize(1);
        }
    }

    private static void cut(SoftPair pair) {
        pair.nodes
                .a()
                .manager()
                .find(TwoNodes.B)
                .fail(new ConnectionException(ConnectionException.Kind.LOST, TwoNodes.B, "cut"));
    }

    @Test
    void whenTheConnectionIsLostAfterTheOwnerHeardOfItThenThePutIsNotTriedAgain() throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        BlockingQueue<PutEvent> events = new LinkedBlockingQueue<>();
        try (SoftPair pair = new SoftPair(options());
                Tensor target = PullTest.random("w", 100);
                Tensor source = PullTest.empty(100);
                PublishedTensor published = pair.b().publish(target, writable(put -> {
                    events.add(put);
                    heard.countDown();
                    go.await();
                }))) {
            assertThat(published.isOpen()).isTrue();
            CompletableFuture<TransferReceipt> put =
                    pair.a().put(TwoNodes.B, "w", source, PLAIN.withReceipt(ReceiptLevel.PROCESSED));
            assertThat(heard.await(10, TimeUnit.SECONDS)).isTrue();
            // What the owner does with it now must not be undone.
            OffHeap.fill(target.address(), 100, (byte) 9);
            cut(pair);
            assertThat(failure(put)).isInstanceOf(ConnectionLostException.class);
            go.countDown();
            PushTest.assertFilled(target, 9);
            assertThat(events).hasSize(1);
        }
    }

    @Test
    void whenBytesChangeBeforeTheyAreComparedThenTheOwnerHearsNothing() throws Exception {
        BlockingQueue<PutEvent> events = new LinkedBlockingQueue<>();
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (SoftPair pair = new SoftPair(options());
                Tensor target = PullTest.random("w", 100);
                Tensor source = PullTest.random("mine", 100);
                PublishedTensor published = pair.b().publish(target, writable(put -> {
                    events.add(put);
                    first.countDown();
                    go.await();
                }))) {
            assertThat(published.isOpen()).isTrue();
            pair.a().put(TwoNodes.B, "w", source, PLAIN).get(10, TimeUnit.SECONDS);
            first.await();
            CompletableFuture<TransferReceipt> second = pair.a().put(TwoNodes.B, "w", source, PLAIN.withChecksum(true));
            await().until(() -> pair.a().transfers().stream()
                    .anyMatch(status -> status.state() == TransferStatus.State.WAITING
                            && status.direction() == TransferStatus.Direction.PUT
                            && status.placedBytes() == 100));
            OffHeap.fill(target.address(), 1, (byte) (OffHeap.getByte(target.address()) + 1));
            go.countDown();
            assertThat(failure(second)).isInstanceOf(ChecksumMismatchException.class);
            assertThat(events).hasSize(1);
        }
    }

    @Test
    void whenTheTensorIsClosedWhileAPutIsUnderWayThenItEndsWholeAndLaterOnesFail() throws Exception {
        try (SoftPair pair = new SoftPair(options());
                Tensor named = PullTest.empty(8_000_000);
                Tensor target = named.withName("kv");
                Tensor source = PullTest.random("mine", 8_000_000)) {
            PublishedTensor published = pair.b().publish(target, writable(put -> {}));
            CountDownLatch started = new CountDownLatch(1);
            CompletableFuture<TransferReceipt> put = pair.a()
                    .at(TwoNodes.B, "kv")
                    .receipt(ReceiptLevel.PLACED)
                    .onProgress((placed, total) -> started.countDown())
                    .put(source);
            put.whenComplete((receipt, failure) -> started.countDown());
            assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
            published.close();
            put.get(10, TimeUnit.SECONDS);
            assertThat(target.asByteBuffer()).isEqualTo(source.asByteBuffer());
            assertThat(failure(pair.a().put(TwoNodes.B, "kv", source, PLAIN)))
                    .isInstanceOf(TensorNotPublishedException.class);
        }
    }

    @Test
    void whenAPutTellsOfBytesThatThePeerMayNotWriteThenItsConnectionEnds() throws Exception {
        try (SoftPair pair = new SoftPair(options());
                Tensor target = PullTest.random("w", 100);
                Tensor source = PullTest.empty(100);
                PublishedTensor published = pair.b().publish(target, writable(put -> {}))) {
            pair.a().put(TwoNodes.B, "w", source, PLAIN).get(10, TimeUnit.SECONDS);
            assertThat(published.peers()).containsExactly(TwoNodes.A);
            var atB = pair.nodes.otherEnd();
            ByteBuffer body = ByteBuffer.allocate(PutMessage.SIZE).order(ByteOrder.LITTLE_ENDIAN);
            int zone = 2;
            body.putLong(77)
                    .putShort((short) 1)
                    .putShort((short) 0)
                    .put((byte) 1)
                    .put((byte) 0)
                    .putShort((short) 0);
            body.putInt(zone).putInt(0).putLong(1).putLong(100).flip();
            pair.b().received(atB, atB.lanes().get(0), TransferMessages.PUT, body);
            await().until(() -> atB.failure() != null);
            assertThat(atB.failure()).hasMessageContaining("may not write");
        }
    }

    @Test
    void whenTheNodeClosesThenItsPublishedTensorsAre() {
        try (SoftPair pair = new SoftPair(options());
                Tensor target = PullTest.random("w", 100)) {
            PublishedTensor published = pair.b().publish(target, writable(put -> {}));
            pair.b().close(Duration.ofSeconds(1));
            assertThat(published.isOpen()).isFalse();
            assertThatThrownBy(() -> pair.b().publish(target, writable(put -> {})))
                    .isInstanceOf(TransfersClosedException.class);
        }
    }
}

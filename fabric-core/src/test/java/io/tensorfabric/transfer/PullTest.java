package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tensors that node B publishes and node A reads, over software devices. */
@Timeout(60)
class PullTest {

    private static final RegionOptions PLAIN = RegionOptions.defaults();

    static TransferOptions.Builder options() {
        return TransferOptions.builder()
                .landingZoneSize(1 << 20)
                .chunkSize(64 << 10)
                .deviceGrace(Duration.ofSeconds(20))
                .retry(new RetryOptions(3, Duration.ofMillis(20), 2));
    }

    static Tensor random(String name, int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Tensor.copyOf(name, DataType.U8, Shape.of(size), bytes);
    }

    static Tensor empty(int size) {
        Tensor tensor = Tensor.allocate(new TensorDescriptor("local", DataType.U8, Shape.of(size)));
        if (size > 0) {
            OffHeap.fill(tensor.address(), size, (byte) 0);
        }
        return tensor;
    }

    private static void assertSame(Tensor actual, Tensor expected) {
        assertThat(actual.asByteBuffer()).isEqualTo(expected.asByteBuffer());
    }

    @Test
    void whenPulledThenEveryByteOfAnySizeIsHere() throws Exception {
        try (SoftPair pair = new SoftPair(options())) {
            for (int size : new int[] {0, 1, 65_536, 65_537, 9_000_001}) {
                for (boolean checksum : new boolean[] {false, true}) {
                    pull(pair, size, checksum);
                }
            }
            await().until(() -> pair.a().statistics().pushesInFlight() == 0);
            assertThat(pair.a().statistics().pulled()).isEqualTo(10);
            assertThat(pair.a().statistics().pushed()).isZero();
        }
    }

    private static void pull(SoftPair pair, int size, boolean checksum) throws Exception {
        try (Tensor tensor = random("weights", size);
                Tensor into = empty(size)) {
            PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable());
            TransferReceipt receipt = pair.a()
                    .pull(TwoNodes.B, "weights", into, PLAIN.withChecksum(checksum))
                    .get(20, TimeUnit.SECONDS);
            assertSame(into, tensor);
            assertThat(receipt.tensor()).isEqualTo("weights");
            assertThat(receipt.bytes()).isEqualTo(size);
            assertThat(receipt.attempts()).isEqualTo(1);
            assertThat(published.peers()).containsExactly(TwoNodes.A);
            published.close();
            assertThat(published.peers()).isEmpty();
        }
    }

    @Test
    void whenMemoryOfThePoolIsPublishedAndPulledIntoThenNothingIsCopiedOrRegistered() throws Exception {
        try (SoftPair pair = new SoftPair(options())) {
            BufferLease theirs = pair.nodes.b().pool().acquire(3 << 20, "a test");
            BufferLease ours = pair.nodes.a().pool().acquire(3 << 20, "a test");
            OffHeap.fill(theirs.address(), 3 << 20, (byte) 7);
            TensorDescriptor descriptor = new TensorDescriptor("kv", DataType.U8, Shape.of(3 << 20));
            try (Tensor tensor = Tensor.of(descriptor, theirs.address(), theirs);
                    Tensor into = Tensor.of(descriptor, ours.address(), ours);
                    PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
                assertThat(published.isOpen()).isTrue();
                pair.a().at(TwoNodes.B, "kv").pullAndWait(into);
                PushTest.assertFilled(into, 7);
            }
        }
    }

    @Test
    void whenNoTensorIsGivenThenOneOfTheTypeAndShapeIsMade() {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = Tensor.copyOf("w", DataType.F32, Shape.of(2, 3), new byte[24]);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable());
                Tensor pulled = pair.a().at(TwoNodes.B, "w").checksum().pullAndWait()) {
            assertThat(published.name()).isEqualTo("w");
            assertThat(pulled.descriptor()).isEqualTo(tensor.descriptor());
            assertSame(pulled, tensor);
        }
    }

    @Test
    void whenAPartIsPulledThenItIsThatPart() {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = random("w", 1_000_000);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable());
                Tensor part = empty(300_000)) {
            assertThat(published.peers()).isEmpty();
            RegionSpec spec = pair.a().at(TwoNodes.B, "w").checksum();
            spec.from(700_000).pullAndWait(part);
            assertThat(part.asByteBuffer()).isEqualTo(tensor.asByteBuffer(700_000, 300_000));
            assertThatThrownBy(() -> spec.from(700_001).pullAndWait(part))
                    .isInstanceOf(TensorMismatchException.class)
                    .hasMessageContaining("'w'")
                    .hasMessageContaining("'node-b'")
                    .hasMessageContaining("1000000 bytes");
        }
    }

    @Test
    void whenTypeOrShapeDifferThenNothingIsRead() {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = random("w", 100);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable());
                Tensor shape = Tensor.copyOf("l", DataType.U8, Shape.of(10, 10), new byte[100]);
                Tensor type = Tensor.copyOf("l", DataType.I8, Shape.of(100), new byte[100])) {
            assertThat(published.isOpen()).isTrue();
            for (Tensor into : List.of(shape, type)) {
                TransferException e = failure(pair.a().pull(TwoNodes.B, "w", into, PLAIN));
                assertThat(e).isInstanceOf(TensorMismatchException.class).hasMessageContaining("U8");
                assertThat(e.isRetryable()).isFalse();
                assertThat(into.asByteBuffer().get(50)).isZero();
            }
        }
    }

    @Test
    void whenNothingOfThatNameIsPublishedThenTheErrorNamesPeerAndTensor() {
        try (SoftPair pair = new SoftPair(options());
                Tensor into = empty(10)) {
            TransferException e = failure(pair.a().pull(TwoNodes.B, "nothing", into, PLAIN));
            assertThat(e)
                    .isInstanceOf(TensorNotPublishedException.class)
                    .hasMessageContaining("'nothing'")
                    .hasMessageContaining("'node-b'");
            assertThat(catchThrowableOfType(
                            TransferException.class,
                            () -> pair.a().at(TwoNodes.B, "nothing").pullAndWait()))
                    .isInstanceOf(TensorNotPublishedException.class);
            // The connection is as good as before.
            assertThat(pair.nodes.a().manager().connections()).hasSize(1);
        }
    }

    @Test
    void whenMemoryCannotBePublishedOrPulledIntoThenTheErrorSaysWhatToDo() {
        try (SoftPair pair = new SoftPair(options());
                Tensor gpu = Tensor.of(
                        new TensorDescriptor("g", DataType.U8, Shape.of(1)), 4096, MemoryKind.cuda(0), null)) {
            assertThatThrownBy(() -> pair.b().publish(gpu, PublishOptions.readable()))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("cuda:0")
                    .hasMessageContaining("host memory");
            assertThat(failure(pair.a().pull(TwoNodes.B, "w", gpu, PLAIN)))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("cuda:0");
        }
    }

    @Test
    void whenThePeerRestartsThenItsTensorsAreGoneUntilItPublishesThemAgain() throws Exception {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = random("w", 200_000);
                Tensor into = empty(200_000)) {
            PublishedTensor first = pair.b().publish(tensor, PublishOptions.readable());
            pair.a().pull(TwoNodes.B, "w", into, PLAIN).get(10, TimeUnit.SECONDS);
            pair.b().close(Duration.ofMillis(1));
            assertThat(first.isOpen()).isFalse();
            pair.nodes.b().kill();
            pair.nodes.restartB();
            assertThat(failure(pair.a().pull(TwoNodes.B, "w", into, PLAIN)))
                    .isInstanceOf(TensorNotPublishedException.class);
            try (PublishedTensor second = pair.b().publish(tensor, PublishOptions.readable())) {
                assertThat(second.isOpen()).isTrue();
                pair.a().pull(TwoNodes.B, "w", into, PLAIN).get(10, TimeUnit.SECONDS);
                assertSame(into, tensor);
            }
        }
    }

    @Test
    void whenTheConnectionIsLostThenThePullIsTriedAgain() throws Exception {
        try (SoftPair pair = new SoftPair(options().chunksPerTransmission(1).transmissionsPerLane(1));
                Tensor tensor = random("w", 8_000_000);
                Tensor into = empty(8_000_000);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            assertThat(published.isOpen()).isTrue();
            pair.nodes.connect();
            pair.nodes.a().faults().failWorkRequests(40, 1, WorkCompletionStatus.RETRY_EXC_ERR);
            TransferReceipt receipt =
                    pair.a().pull(TwoNodes.B, "w", into, PLAIN).get(20, TimeUnit.SECONDS);
            assertThat(receipt.attempts()).isEqualTo(2);
            assertSame(into, tensor);
        }
    }

    @Test
    void whenCancelledThenTheLocalMemoryIsKeptUntilTheDeviceIsDone() throws Exception {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = random("w", 8_000_000);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            assertThat(published.isOpen()).isTrue();
            Tensor into = empty(8_000_000);
            LinkedBlockingQueue<Long> told = new LinkedBlockingQueue<>();
            CompletableFuture<TransferReceipt> pull = pair.a()
                    .at(TwoNodes.B, "w")
                    .onProgress((placed, total) -> told.add(placed))
                    .pull(into);
            told.poll(10, TimeUnit.SECONDS);
            pull.cancel(true);
            into.close();
            await().until(() -> pair.a().statistics().pushesInFlight() == 0);
            // The pair looks for leaks as it closes.
            CompletableFuture<Tensor> other = pair.a().at(TwoNodes.B, "w").pull();
            other.cancel(true);
            await().until(() -> pair.a().statistics().pushesInFlight() == 0);
            assertThat(pair.a().at(TwoNodes.B, "w").pullAndWait()).satisfies(all -> {
                assertSame(all, tensor);
                all.close();
            });
        }
    }

    @Test
    void whenBytesChangeBetweenReadAndComparisonThenThePullFails() {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = random("w", 200_000);
                Tensor into = empty(200_000);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            assertThat(published.isOpen()).isTrue();
            pair.a().at(TwoNodes.B, "w").pullAndWait(into);
            pair.nodes.network().setHook(new LocalNetwork.Hook() {
                @Override
                public void request(LocalNetwork.Call call, String from, String to) {
                    if (call != LocalNetwork.Call.OPEN_ZONE) {
                        return;
                    }
                    OffHeap.putByte(tensor.address(), (byte) (OffHeap.getByte(tensor.address()) + 1));
                }
            });
            assertThatThrownBy(() -> pair.a().at(TwoNodes.B, "w").checksum().pullAndWait(into))
                    .isInstanceOf(ChecksumMismatchException.class)
                    .hasMessageContaining("'w'");
        }
    }

    @Test
    void whenTheDeadlinePassesThenThePullEndsAndSaysWhere() {
        try (SoftPair pair = new SoftPair(options());
                Tensor tensor = random("w", 200_000);
                Tensor into = empty(200_000);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            assertThat(published.isOpen()).isTrue();
            pair.a().at(TwoNodes.B, "w").pullAndWait(into);
            pair.nodes.a().faults().delayCompletions(Duration.ofMillis(500));
            assertThatThrownBy(() -> pair.a()
                            .at(TwoNodes.B, "w")
                            .deadline(Duration.ofMillis(150))
                            .pullAndWait(into))
                    .isInstanceOf(DeadlineExceededException.class)
                    .hasMessageContaining("'w'");
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.assertFilled;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SourceMemoryTest {

    @Test
    void whenMemoryCannotBeDeregisteredThenItIsKeptUntilItCan() throws Exception {
        try (FakePair pair = new FakePair(small().dedicatedZoneIdle(Duration.ofMillis(100)))) {
            pair.keepAtRight();
            AtomicBoolean freed = new AtomicBoolean();
            long memory = OffHeap.allocate(500_000, 64);
            TensorDescriptor descriptor = new TensorDescriptor("t", DataType.U8, Shape.of(500_000));
            Tensor tensor = Tensor.of(descriptor, memory, () -> {
                freed.set(true);
                OffHeap.free(memory);
            });
            pair.left.domain.failDeregistrations = true;
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            tensor.close();
            future.get(10, TimeUnit.SECONDS);
            assertThat(freed).isFalse();
            pair.left.domain.failDeregistrations = false;
            await().untilTrue(freed);
        }
    }

    @Test
    void whenMemoryLiesInThePoolThenItIsSentWithoutACopyAndElseRegisteredForThePush() throws Exception {
        try (FakePair pair = new FakePair()) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            TensorDescriptor descriptor = new TensorDescriptor("p", DataType.U8, Shape.of(1000));
            BufferLease lease = pair.left.pool.acquire(1000, "test");
            OffHeap.fill(lease.address(), 1000, (byte) 9);
            Tensor pooled = Tensor.of(descriptor, lease.address(), lease);
            pair.left.transfers().push("right", pooled).get(10, TimeUnit.SECONDS);
            try (ReceivedTensor received = kept.take()) {
                assertFilled(received.tensor(), 9);
            }
            pooled.close();
            pair.left.domain.largestRegion = 100_000;
            int regions = pair.left.domain.regionCount();
            try (Tensor outside = tensor("o", 700_000, 8)) {
                pair.left.transfers().push("right", outside).get(10, TimeUnit.SECONDS);
                try (ReceivedTensor received = kept.take()) {
                    assertFilled(received.tensor(), 8);
                }
                assertThat(pair.left.domain.regionCount()).isEqualTo(regions);
            }
        }
    }

    @Test
    void whenTheCallerClosesTheTensorAtOnceThenItsMemoryLivesUntilTheDeviceIsDone() throws Exception {
        try (FakePair pair = new FakePair()) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            AtomicBoolean freed = new AtomicBoolean();
            long memory = OffHeap.allocate(500_000, 64);
            OffHeap.fill(memory, 500_000, (byte) 7);
            TensorDescriptor descriptor = new TensorDescriptor("t", DataType.U8, Shape.of(500_000));
            pair.left.faults.stopWire();
            Tensor tensor = Tensor.of(descriptor, memory, () -> {
                freed.set(true);
                OffHeap.free(memory);
            });
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            tensor.close();
            assertThat(freed).isFalse();
            pair.left.faults.resume();
            future.get(10, TimeUnit.SECONDS);
            assertThat(freed).isTrue();
            try (ReceivedTensor received = kept.take()) {
                assertFilled(received.tensor(), 7);
            }
            assertThat(failure(pair.left.transfers().push("right", tensor)).kind())
                    .isEqualTo(TransferException.Kind.INVALID);
        }
    }
}

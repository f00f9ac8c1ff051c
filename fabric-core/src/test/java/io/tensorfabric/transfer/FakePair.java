package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Two nodes, {@code left} and {@code right}, that know each other; checks at the end that nothing leaked. */
final class FakePair implements AutoCloseable {

    private final long allocatedBefore = OffHeap.allocatedBytes();
    private final BlockingQueue<ReceivedTensor> kept = new LinkedBlockingQueue<>();
    final FakeNode left;
    final FakeNode right;

    FakePair() {
        this(small());
    }

    FakePair(TransferOptions.Builder options) {
        this(options, 64 << 20);
    }

    FakePair(TransferOptions.Builder options, long poolBytes) {
        left = new FakeNode("left", options.build(), poolBytes);
        right = new FakeNode("right", options.build(), poolBytes);
        left.knows(right);
        right.knows(left);
    }

    /** Small sizes, so that tests reach their limits. */
    static TransferOptions.Builder small() {
        return TransferOptions.builder()
                .landingZoneSize(1 << 20)
                .chunkSize(64 << 10)
                .smallThreshold(16 << 10);
    }

    static Tensor tensor(String name, int bytes, int fill) {
        Tensor tensor = Tensor.allocate(new TensorDescriptor(name, DataType.U8, Shape.of(bytes)));
        if (bytes > 0) {
            OffHeap.fill(tensor.address(), bytes, (byte) fill);
        }
        return tensor;
    }

    /** Registers a listener that keeps what it gets open. */
    BlockingQueue<ReceivedTensor> keepAtRight() {
        right.transfers().register("keep", "*", "*", kept::add);
        return kept;
    }

    @Override
    public void close() {
        left.faults.resume();
        right.faults.resume();
        left.close();
        right.close();
        kept.forEach(ReceivedTensor::close);
        left.end();
        right.end();
        assertThat(left.domain.regionCount()).isZero();
        assertThat(right.domain.regionCount()).isZero();
        assertThat(OffHeap.allocatedBytes()).isEqualTo(allocatedBefore);
    }
}

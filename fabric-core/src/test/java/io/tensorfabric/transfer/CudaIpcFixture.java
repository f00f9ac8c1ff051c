package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.transfer.GpuPair.Side;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;

/**
 * GPUs that copy to each other by CUDA IPC, on the stub of the driver, which allows that within one process here. What takes
 * two processes is tested with services.
 */
abstract class CudaIpcFixture {

    static final int MIB = 1 << 20;

    static final Duration PATIENCE = Duration.ofSeconds(20);

    final Random random = new Random(11);

    @BeforeEach
    void reset() {
        StubCuda.reset();
    }

    static GpuPair sharing() {
        return GpuPair.sharing(Side.STAGED, Side.STAGED, TransferOptions.builder());
    }

    static GpuPair smallZones() {
        return GpuPair.sharing(
                Side.STAGED, Side.STAGED, TransferOptions.builder().landingZoneSize(2 * MIB));
    }

    static CompletableFuture<TransferReceipt> push(GpuPair pair, long memory, int size, PushOptions options) {
        try (Tensor tensor = Tensor.ofCuda("shared", DataType.U8, Shape.of(size), memory, 0)) {
            return pair.a().push(TwoNodes.B, tensor, options.withDeadline(Duration.ofSeconds(60)));
        }
    }

    static TransferReceipt pushed(GpuPair pair, long memory, int size) throws Exception {
        return push(pair, memory, size, PushOptions.defaults()).get(60, TimeUnit.SECONDS);
    }

    static ReceivedTensor arrived(GpuPair pair) throws InterruptedException {
        ReceivedTensor received = pair.received().poll(20, TimeUnit.SECONDS);
        assertThat(received).isNotNull();
        return received;
    }

    static void assertArrived(GpuPair pair, byte[] expected) throws InterruptedException {
        try (ReceivedTensor received = arrived(pair)) {
            assertBytes(received, expected);
        }
    }

    static void assertBytes(ReceivedTensor received, byte[] expected) {
        assertThat(received.tensor().kind()).isEqualTo(MemoryKind.cuda(1));
        assertThat(received.tensor().byteLength()).isEqualTo(expected.length);
        if (expected.length > 0) {
            // Without a copy: the largest would fill the heap of the tests.
            assertThat(StubCuda.view(received.tensor().address(), expected.length)
                            .equals(ByteBuffer.wrap(expected)))
                    .as("the same bytes")
                    .isTrue();
        }
    }

    byte[] fill(long memory, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        if (size > 0) {
            StubCuda.write(memory, bytes);
        }
        return bytes;
    }

    static CudaIpcStatus status(GpuPair pair) {
        assertThat(pair.a().cudaIpc()).hasSize(1);
        return pair.a().cudaIpc().get(0);
    }
}

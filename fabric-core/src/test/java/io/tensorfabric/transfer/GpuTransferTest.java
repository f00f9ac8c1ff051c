package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.transfer.GpuPair.Side;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way out of a GPU with every way into one, on the stub of the driver. */
class GpuTransferTest {

    private static final int PATTERN = 1 << 20;

    private static final int[] SIZES = {0, 1, 63 * 1024 + 1, 64 * 1024, 1 << 20, 300 << 20};

    private static final byte[] BYTES = new byte[PATTERN + 13];

    static {
        new Random(42).nextBytes(BYTES);
    }

    @BeforeEach
    void reset() {
        StubCuda.reset();
    }

    static Stream<Arguments> paths() {
        return Stream.of(Side.DMABUF, Side.PEERMEM, Side.STAGED)
                .flatMap(sender -> Stream.of(Side.DMABUF, Side.PEERMEM, Side.STAGED, Side.HOST)
                        .map(receiver -> Arguments.of(sender, receiver)));
    }

    @ParameterizedTest
    @MethodSource("paths")
    void whenTensorsOfAllSizesArePushedThenBytesAreExactAndPathIsNamed(Side sender, Side receiver) throws Exception {
        TransferPath expected =
                sender == Side.STAGED || receiver == Side.STAGED ? TransferPath.HOST_STAGED : TransferPath.GPU_DIRECT;
        try (GpuPair pair = new GpuPair(sender, receiver)) {
            long memory = GpuPair.allocate((300L << 20) + 8);
            // Not aligned to anything, the second time.
            for (int offset : new int[] {0, 3}) {
                fill(memory + offset, 300 << 20);
                for (int size : SIZES) {
                    push(pair, memory + offset, size, size == 0 ? TransferPath.NONE : expected, receiver);
                }
            }
            GpuPair.free(memory);
        }
    }

    private static void push(GpuPair pair, long address, int size, TransferPath path, Side receiver) throws Exception {
        Tensor tensor = Tensor.ofCuda("t" + size, DataType.U8, Shape.of(size), address, 0);
        TransferReceipt receipt = pair.a()
                .push(TwoNodes.B, tensor, PushOptions.defaults().withDeadline(Duration.ofMinutes(1)))
                .get(1, TimeUnit.MINUTES);
        tensor.close();

        assertThat(receipt.path()).isEqualTo(path);
        assertThat(receipt.bytes()).isEqualTo(size);
        try (ReceivedTensor received = pair.received().poll(1, TimeUnit.MINUTES)) {
            assertThat(received).isNotNull();
            assertThat(received.tensor().kind())
                    .isEqualTo(receiver == Side.HOST ? MemoryKind.HOST : MemoryKind.cuda(1));
            assertThat(received.tensor().byteLength()).isEqualTo(size);
            if (size > 0) {
                long arrived = received.tensor().address();
                assertPattern(receiver == Side.HOST ? arrived : StubCuda.look(arrived, size), size);
            }
        }
    }

    private static void fill(long device, long size) {
        long address = StubCuda.look(device, size);
        for (long at = 0; at < size; at += BYTES.length) {
            OffHeap.copyFromArray(BYTES, 0, address + at, (int) Math.min(BYTES.length, size - at));
        }
    }

    private static void assertPattern(long address, int size) {
        ByteBuffer pattern = ByteBuffer.wrap(BYTES);
        for (int at = 0; at < size; at += BYTES.length) {
            int length = Math.min(BYTES.length, size - at);
            int difference = OffHeap.asByteBuffer(address + at, length).mismatch(pattern.slice(0, length));
            assertThat(difference).as("first wrong byte after " + at).isEqualTo(-1);
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.transfer.GpuPair.Side;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Pushes that ask for a kind of memory at a peer with a GPU, on the stub of the driver. */
@Timeout(60)
class GpuLandingTest {

    private static final MemoryKind GPU_OF_B = MemoryKind.cuda(1);

    private static final int[] SIZES = {0, 1000, 5_000_003};

    @BeforeEach
    void reset() {
        StubCuda.reset();
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static PushSpec spec(GpuPair pair, LandingKind landing) {
        return pair.a().to(TwoNodes.B).landing(landing).deadline(Duration.ofSeconds(30));
    }

    private static void assertArrived(GpuPair pair, byte[] expected, MemoryKind where) throws InterruptedException {
        try (ReceivedTensor received = pair.received().poll(20, TimeUnit.SECONDS)) {
            assertThat(received).isNotNull();
            Tensor tensor = received.tensor();
            assertThat(tensor.kind()).isEqualTo(where);
            assertThat(tensor.byteLength()).isEqualTo(expected.length);
            assertThat(read(tensor)).isEqualTo(expected);
        }
    }

    private static byte[] read(Tensor tensor) {
        byte[] bytes = new byte[(int) tensor.byteLength()];
        if (tensor.kind().equals(MemoryKind.HOST)) {
            tensor.asByteBuffer().get(bytes);
            return bytes;
        }
        return bytes.length == 0 ? bytes : StubCuda.read(tensor.address(), bytes.length);
    }

    /** A receiver, where its tensors land, and the paths of ANY, HOST and DEVICE. */
    static Stream<Arguments> ways() {
        TransferPath staged = TransferPath.HOST_STAGED;
        TransferPath direct = TransferPath.GPU_DIRECT;
        TransferPath host = TransferPath.HOST;
        return Stream.of(
                Arguments.of(Side.DMABUF, GPU_OF_B, List.of(direct, staged, direct)),
                Arguments.of(Side.STAGED, GPU_OF_B, List.of(staged, host, staged)),
                Arguments.of(Side.DMABUF.landingInHost(), MemoryKind.HOST, List.of(host, host, staged)),
                Arguments.of(Side.STAGED.landingInHost(), MemoryKind.HOST, List.of(host, host, staged)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void whenAKindOfMemoryIsAskedForThenTheListenerFindsTheTensorThere(
            Side receiver, MemoryKind any, List<TransferPath> paths) throws Exception {
        try (GpuPair pair = new GpuPair(Side.HOST, receiver)) {
            for (int size : SIZES) {
                byte[] expected = bytes(size);
                try (Tensor tensor = Tensor.copyOf("t" + size, DataType.U8, Shape.of(size), expected)) {
                    for (LandingKind wish : LandingKind.values()) {
                        PushSpec spec = spec(pair, wish);
                        TransferPath path = size == 0 ? TransferPath.NONE : paths.get(wish.ordinal());
                        TransferReceipt receipt = (size % 2 == 1 ? spec.checksum() : spec).pushAndWait(tensor);
                        assertThat(receipt.path()).as("%s of %s", wish, size).isEqualTo(path);
                        assertArrived(pair, expected, where(wish, any));
                        await().untilAsserted(() ->
                                assertThat(pair.b().transfers().get(0).path()).isEqualTo(path));
                    }
                }
            }
        }
    }

    private static MemoryKind where(LandingKind wish, MemoryKind any) {
        return switch (wish) {
            case ANY -> any;
            case HOST -> MemoryKind.HOST;
            case DEVICE -> GPU_OF_B;
        };
    }

    @Test
    void whenGpusCopyToEachOtherThenATensorForTheHostIsCopiedOnThere() throws Exception {
        try (GpuPair pair = GpuPair.sharing(Side.DMABUF, Side.DMABUF, TransferOptions.builder())) {
            byte[] expected = bytes(5_000_003);
            long memory = GpuPair.allocate(expected.length);
            StubCuda.write(memory, expected);
            try (Tensor tensor = Tensor.ofCuda("t", DataType.U8, Shape.of(expected.length), memory, 0)) {
                for (LandingKind wish : LandingKind.values()) {
                    TransferReceipt receipt = spec(pair, wish).pushAndWait(tensor);
                    assertThat(receipt.path()).isEqualTo(TransferPath.CUDA_IPC);
                    assertArrived(pair, expected, wish == LandingKind.HOST ? MemoryKind.HOST : GPU_OF_B);
                }
            }
            GpuPair.free(memory);
        }
    }

    static Stream<Arguments> closed() {
        return Stream.of(
                Arguments.of(Side.DMABUF, LandingKind.DEVICE, LandingKind.HOST, GPU_OF_B),
                Arguments.of(Side.DMABUF.landingInHost(), LandingKind.HOST, LandingKind.DEVICE, MemoryKind.HOST));
    }

    @ParameterizedTest
    @MethodSource("closed")
    void whenSendersMayNotChooseThenOnlyWhatThePeerDoesAnywayIsFine(
            Side receiver, LandingKind met, LandingKind other, MemoryKind where) throws Exception {
        try (GpuPair pair = new GpuPair(
                        Side.HOST, receiver, TransferOptions.builder().landingChoice(false));
                Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(1000), bytes(1000))) {
            assertThat(failure(spec(pair, other).push(tensor)))
                    .isInstanceOf(LandingUnavailableException.class)
                    .hasMessageContaining("'" + TwoNodes.B + "'")
                    .hasMessageContaining(other.name())
                    .hasMessageContaining("'fabric.landing.sender-choice'");
            spec(pair, met).pushAndWait(tensor);
            assertArrived(pair, bytes(1000), where);
        }
    }

    @Test
    void whenTheCopyToTheHostFailsThenTheSenderIsToldAndTheListenerSeesNothing() throws Exception {
        try (GpuPair pair = new GpuPair(Side.HOST, Side.DMABUF);
                Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(1000), bytes(1000))) {
            StubCuda.fail("cuMemcpyDtoHAsync", 700, 0, 1);
            assertThat(failure(spec(pair, LandingKind.HOST).push(tensor)))
                    .isInstanceOf(BackpressureException.class)
                    .hasMessageContaining("cuMemcpyDtoHAsync");
            assertThat(pair.received()).isEmpty();
            spec(pair, LandingKind.HOST).pushAndWait(tensor);
            assertArrived(pair, bytes(1000), MemoryKind.HOST);
        }
    }
}

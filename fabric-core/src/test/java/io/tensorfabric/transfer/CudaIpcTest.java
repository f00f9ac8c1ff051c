package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.cuda.CudaWait;
import io.tensorfabric.memory.cuda.StubPlatform;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.transfer.GpuPair.Side;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;

/** Pushes by CUDA IPC: bytes, order, room and time. */
class CudaIpcTest extends CudaIpcFixture {

    @Test
    void whenTensorsOfAllSizesArePushedThenTheGpuCopiesThemAndNobodyElse() throws Exception {
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate((300L << 20) + 8);
            pushed(pair, memory, 10);
            arrived(pair).close();
            long down = StubCuda.calls("cuMemcpyDtoHAsync");
            long up = StubCuda.calls("cuMemcpyHtoDAsync");
            long zones = StubCuda.calls("cuIpcOpenMemHandle");
            for (int offset : new int[] {0, 3}) {
                for (int size : new int[] {0, 1, 63 * 1024 + 1, 64 * 1024, MIB, 300 * MIB}) {
                    byte[] bytes = fill(memory + offset, size);
                    TransferReceipt receipt = pushed(pair, memory + offset, size);
                    assertThat(receipt.path()).isEqualTo(size == 0 ? TransferPath.NONE : TransferPath.CUDA_IPC);
                    assertThat(receipt.bytes()).isEqualTo(size);
                    assertArrived(pair, bytes);
                }
            }
            // A zone of its own for the large ones: its trial reads twice, and its proof is written once.
            assertThat(StubCuda.calls("cuIpcOpenMemHandle") - zones).isEqualTo(1);
            assertThat(StubCuda.calls("cuMemcpyDtoHAsync") - down).isEqualTo(2);
            assertThat(StubCuda.calls("cuMemcpyHtoDAsync") - up).isEqualTo(1);
            assertThat(pair.b().transfers()).extracting(TransferStatus::path).contains(TransferPath.CUDA_IPC);
            assertThat(status(pair).state()).isEqualTo(CudaIpcStatus.State.ON);
            assertThat(status(pair).gpu()).isEqualTo(MemoryKind.cuda(0));
            GpuPair.free(memory);
        }
    }

    @Test
    void whenTheZoneIsFullThenPushesWaitForRoomAndSmallOnesGoFirst() throws Exception {
        try (GpuPair pair = smallZones()) {
            long memory = GpuPair.allocate(2 * MIB);
            byte[] bytes = fill(memory, 2 * MIB);
            pushed(pair, memory, 2 * MIB);
            ReceivedTensor held = arrived(pair);
            CompletableFuture<TransferReceipt> large = push(pair, memory, 2 * MIB, PushOptions.defaults());
            CompletableFuture<TransferReceipt> small = push(pair, memory + 5, 100, PushOptions.defaults());
            await().during(Duration.ofMillis(200)).until(() -> !large.isDone() && !small.isDone());
            assertBytes(held, bytes);
            held.close();

            assertThat(small.get(20, TimeUnit.SECONDS).path()).isEqualTo(TransferPath.CUDA_IPC);
            assertArrived(pair, Arrays.copyOfRange(bytes, 5, 105));
            assertThat(large.get(20, TimeUnit.SECONDS).path()).isEqualTo(TransferPath.CUDA_IPC);
            assertArrived(pair, bytes);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenPeersBudgetForLargeTensorsIsUsedUpThenTheyTakeAnotherPath() throws Exception {
        TransferOptions.Builder options = TransferOptions.builder()
                .landingZoneSize(2 * MIB)
                .maxDedicatedBytes(11 * MIB)
                .maxDedicatedBytesPerPeer(11 * MIB);
        try (GpuPair pair = GpuPair.sharing(Side.DMABUF, Side.DMABUF, options)) {
            long memory = GpuPair.allocate(5 * MIB);
            byte[] bytes = fill(memory, 5 * MIB);
            assertThat(pushed(pair, memory, 5 * MIB).path()).isEqualTo(TransferPath.CUDA_IPC);
            ReceivedTensor held = arrived(pair);

            // Memory by CUDA IPC comes in units of 2 MiB: 6 are one too many, and 5 are not.
            assertThat(pushed(pair, memory, 5 * MIB).path()).isEqualTo(TransferPath.GPU_DIRECT);

            assertArrived(pair, bytes);
            assertBytes(held, bytes);
            held.close();
            GpuPair.free(memory);
        }
    }

    @Test
    void whenDeadlinePassesDuringACopyThenCallerIsToldAndTheTensorIsKeptUntilItsEnd() throws Exception {
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate(MIB);
            pushed(pair, memory, 10);
            arrived(pair).close();
            StubCuda.set("delay-us", 1_500_000);
            CompletableFuture<Void> released = new CompletableFuture<>();
            Tensor tensor = Tensor.of(
                    new TensorDescriptor("late", DataType.U8, Shape.of(MIB)),
                    memory,
                    MemoryKind.cuda(0),
                    () -> released.complete(null));
            CompletableFuture<TransferReceipt> push =
                    pair.a().push(TwoNodes.B, tensor, PushOptions.defaults().withDeadline(Duration.ofMillis(300)));
            tensor.close();

            assertThatThrownBy(() -> push.get(1, TimeUnit.SECONDS)).hasMessageContaining("late");
            assertThat(released).isNotDone();
            StubCuda.set("delay-us", 0);
            assertThat(released).succeedsWithin(Duration.ofSeconds(5));
            assertThat(pair.received()).isEmpty();
            byte[] bytes = fill(memory, MIB);
            assertThat(pushed(pair, memory, MIB).path()).isEqualTo(TransferPath.CUDA_IPC);
            assertArrived(pair, bytes);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenZonesAreIdleThenTheyAreGivenBackAndAskedForAgain() throws Exception {
        TransferOptions.Builder options = TransferOptions.builder().dedicatedZoneIdle(Duration.ofMillis(300));
        try (GpuPair pair = GpuPair.sharing(Side.STAGED, Side.STAGED, options)) {
            long memory = GpuPair.allocate(MIB);
            pushed(pair, memory, MIB);
            arrived(pair).close();

            await().atMost(PATIENCE)
                    .until(() -> pair.gpuOfB().exports() == 0 && pair.gpuOfA().imports() == 0);

            assertThat(status(pair).state()).isEqualTo(CudaIpcStatus.State.UNTRIED);
            byte[] bytes = fill(memory, MIB);
            assertThat(pushed(pair, memory, MIB).path()).isEqualTo(TransferPath.CUDA_IPC);
            assertArrived(pair, bytes);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenStreamIsGivenThenNewBytesArriveOneHundredTimes() throws Exception {
        int size = 3 * MIB;
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate(size);
            CUstream stream = new CUstream();
            assertThat(JCudaDriver.cuStreamCreate(stream, 1)).isZero();
            PushOptions after = PushOptions.defaults().withAfter(CudaWait.stream(stream));
            StubCuda.set("delay-us", 300);
            for (int round = 1; round <= 100; round++) {
                byte fresh = (byte) round;
                for (int fill = 20; fill >= 0; fill--) {
                    byte value = (byte) (fresh - fill);
                    assertThat(JCudaDriver.cuMemsetD8Async(StubPlatform.pointer(memory), value, size, stream))
                            .isZero();
                }
                TransferReceipt receipt = push(pair, memory, size, after).get(20, TimeUnit.SECONDS);
                assertThat(receipt.path()).isEqualTo(TransferPath.CUDA_IPC);
                byte[] expected = new byte[size];
                Arrays.fill(expected, fresh);
                assertArrived(pair, expected);
            }
            StubCuda.set("delay-us", 0);
            JCudaDriver.cuStreamDestroy(stream);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenChecksumIsWantedThenItIsChecked() throws Exception {
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate(MIB);
            byte[] bytes = fill(memory, MIB);
            TransferReceipt receipt = push(
                            pair, memory, MIB, PushOptions.defaults().withChecksum(true))
                    .get(20, TimeUnit.SECONDS);
            assertThat(receipt.path()).isEqualTo(TransferPath.CUDA_IPC);
            assertArrived(pair, bytes);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenTensorsOfTheHostArePushedThenTheyTakeTheirOwnPath() throws Exception {
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate(MIB);
            pushed(pair, memory, MIB);
            arrived(pair).close();
            try (Tensor tensor = Tensor.copyOf("host", DataType.U8, Shape.of(4), java.nio.ByteBuffer.allocate(4))) {
                assertThat(pair.a()
                                .push(TwoNodes.B, tensor)
                                .get(20, TimeUnit.SECONDS)
                                .path())
                        .isEqualTo(TransferPath.HOST_STAGED);
            }
            arrived(pair).close();
            GpuPair.free(memory);
        }
    }

    private static void closeAll(GpuPair pair) {
        for (ReceivedTensor tensor = pair.received().poll();
                tensor != null;
                tensor = pair.received().poll()) {
            tensor.close();
        }
    }

    @Test
    void whenThousandsOfMixedPushesWereMadeThenNothingIsLeft() throws Exception {
        StubCuda.set("ordering", 100);
        try (GpuPair pair = smallZones()) {
            long memory = GpuPair.allocate(3 * MIB);
            List<CompletableFuture<TransferReceipt>> pushes = new ArrayList<>();
            for (int i = 0; i < 3_000; i++) {
                int size = new int[] {0, 1, 700, 65_537, 199_000, 2_500_000}[random.nextInt(6)];
                pushes.add(push(pair, memory + random.nextInt(1000), size, PushOptions.defaults()));
                if (pushes.size() == 20) {
                    for (CompletableFuture<TransferReceipt> push : pushes) {
                        await().atMost(PATIENCE)
                                .pollInterval(Duration.ofMillis(1))
                                .until(() -> {
                                    closeAll(pair);
                                    return push.isDone();
                                });
                        TransferReceipt receipt = push.get(60, TimeUnit.SECONDS);
                        assertThat(receipt.path())
                                .isIn(TransferPath.CUDA_IPC, TransferPath.NONE, TransferPath.HOST_STAGED);
                    }
                    pushes.clear();
                }
            }
            assertThat(status(pair).state()).isEqualTo(CudaIpcStatus.State.ON);
            GpuPair.free(memory);
        }
        // GpuPair looks for contexts, streams, events, allocations and pinned memory that are left.
    }
}

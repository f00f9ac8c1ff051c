package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.transfer.GpuPair.Side;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How staging works, fails and gives everything back, on the stub of the driver. */
class GpuStagingTest {

    private static final int SIZE = 20 << 20;

    private final Random random = new Random(3);

    @BeforeEach
    void reset() {
        StubCuda.reset();
    }

    private CompletableFuture<TransferReceipt> push(GpuPair pair, long memory, int size, PushOptions options) {
        try (Tensor tensor = Tensor.ofCuda("staged", DataType.U8, Shape.of(size), memory, 0)) {
            return pair.a().push(TwoNodes.B, tensor, options.withDeadline(Duration.ofSeconds(30)));
        }
    }

    private static void assertArrived(GpuPair pair, byte[] expected) throws InterruptedException {
        try (ReceivedTensor received = pair.received().poll(20, TimeUnit.SECONDS)) {
            assertThat(received).isNotNull();
            assertThat(StubCuda.read(received.tensor().address(), expected.length))
                    .isEqualTo(expected);
        }
    }

    private long filled(byte[] bytes) {
        random.nextBytes(bytes);
        long memory = GpuPair.allocate(bytes.length);
        StubCuda.write(memory, bytes);
        return memory;
    }

    @Test
    void whenTensorIsStagedThenFewPinnedChunksAreUsedAndCopiesAreAsynchronous() throws Exception {
        try (GpuPair pair = new GpuPair(Side.STAGED, Side.STAGED)) {
            byte[] bytes = new byte[SIZE];
            long memory = filled(bytes);
            push(pair, memory, SIZE, PushOptions.defaults()).get(30, TimeUnit.SECONDS);
            assertArrived(pair, bytes);

            // Ten chunks of 2 MiB down, one copy up, all with pinned host memory.
            assertThat(StubCuda.calls("cuMemcpyDtoHAsync")).isEqualTo(SIZE / StagedSource.CHUNK);
            assertThat(StubCuda.calls("cuMemcpyHtoDAsync")).isEqualTo(1);
            assertThat(StubCuda.count("pageable-copies")).isZero();
            assertThat(pair.nodes.a().pool().statistics().peak())
                    .isLessThan(pair.a().options().landingZoneSize() + StagedSource.ringBytes(SIZE) + (2 << 20));
            GpuPair.free(memory);
        }
    }

    @Test
    void whenWireStallsThenOnlyTheRingIsCopiedAheadAndTheRestWhenItGoesOn() throws Exception {
        try (GpuPair pair = new GpuPair(Side.STAGED, Side.DMABUF)) {
            byte[] bytes = new byte[SIZE];
            long memory = filled(bytes);
            push(pair, memory, 1000, PushOptions.defaults()).get(30, TimeUnit.SECONDS);
            try (ReceivedTensor first = pair.received().poll(20, TimeUnit.SECONDS)) {
                assertThat(first).isNotNull();
            }
            long before = StubCuda.calls("cuMemcpyDtoHAsync");
            pair.nodes.a().faults().holdCompletions(true);

            CompletableFuture<TransferReceipt> push = push(pair, memory, SIZE, PushOptions.defaults());

            await().atMost(Duration.ofSeconds(10)).until(() -> StubCuda.calls("cuMemcpyDtoHAsync") - before == 4);
            pair.nodes.a().faults().holdCompletions(false);
            push.get(30, TimeUnit.SECONDS);
            assertArrived(pair, bytes);
            assertThat(StubCuda.calls("cuMemcpyDtoHAsync") - before).isEqualTo(10);
            GpuPair.free(memory);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenChecksumIsWantedThenItIsThatOfTheGpusBytes(boolean direct) throws Exception {
        Side side = direct ? Side.DMABUF : Side.STAGED;
        try (GpuPair pair = new GpuPair(side, side)) {
            byte[] bytes = new byte[5_000_003];
            long memory = filled(bytes);
            push(pair, memory, bytes.length, PushOptions.defaults().withChecksum(true))
                    .get(30, TimeUnit.SECONDS);
            assertArrived(pair, bytes);
            GpuPair.free(memory);
        }
    }

    @ParameterizedTest
    @EnumSource(TransferPriority.class)
    void whenAPriorityIsGivenThenOtherLanesBringTheSameBytes(TransferPriority priority) throws Exception {
        try (GpuPair pair = new GpuPair(Side.STAGED, Side.DMABUF)) {
            for (int size : new int[] {1000, SIZE}) {
                byte[] bytes = new byte[size];
                long memory = filled(bytes);
                push(pair, memory, size, PushOptions.defaults().withPriority(priority))
                        .get(30, TimeUnit.SECONDS);
                assertArrived(pair, bytes);
                GpuPair.free(memory);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, SIZE})
    void whenCopyFromTheGpuFailsThenPushFailsWithTheCallAndNothingIsLeft(int size) throws Exception {
        try (GpuPair pair = new GpuPair(Side.STAGED, Side.STAGED)) {
            byte[] bytes = new byte[size];
            long memory = filled(bytes);
            StubCuda.fail("cuMemcpyDtoHAsync", 700, size > 4000 ? 3 : 0, 1);

            assertThatThrownBy(() ->
                            push(pair, memory, size, PushOptions.defaults()).get(30, TimeUnit.SECONDS))
                    .hasMessageContaining("cuMemcpyDtoHAsync")
                    .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");

            push(pair, memory, size, PushOptions.defaults()).get(30, TimeUnit.SECONDS);
            assertArrived(pair, bytes);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenCopyToTheGpuFailsThenSenderIsToldAndListenerSeesNothing() throws Exception {
        try (GpuPair pair = new GpuPair(Side.STAGED, Side.STAGED)) {
            byte[] bytes = new byte[100_000];
            long memory = filled(bytes);
            StubCuda.fail("cuMemcpyHtoDAsync", 700, 0, 1);

            assertThatThrownBy(() -> push(pair, memory, bytes.length, PushOptions.defaults())
                            .get(30, TimeUnit.SECONDS))
                    .hasMessageContaining("cuMemcpyHtoDAsync");

            assertThat(pair.received()).isEmpty();
            push(pair, memory, bytes.length, PushOptions.defaults()).get(30, TimeUnit.SECONDS);
            assertArrived(pair, bytes);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenReceiversGpuIsFullThenSenderIsToldAndLaterPushesWork() throws Exception {
        try (GpuPair pair = new GpuPair(Side.STAGED, Side.STAGED)) {
            byte[] bytes = new byte[100_000];
            long memory = filled(bytes);
            try (BufferLease all = pair.gpuOfB().pool().acquire(1024L << 20, "test")) {
                assertThat(all.length()).isPositive();
                assertThatThrownBy(() -> push(pair, memory, bytes.length, PushOptions.defaults())
                                .get(30, TimeUnit.SECONDS))
                        .hasMessageContaining("cuda:1");
            }
            push(pair, memory, bytes.length, PushOptions.defaults()).get(30, TimeUnit.SECONDS);
            assertArrived(pair, bytes);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenConnectionIsLostMidwayThenPushStartsAnewAndBytesAreExact() throws Exception {
        try (GpuPair pair = new GpuPair(Side.STAGED, Side.STAGED)) {
            byte[] bytes = new byte[SIZE];
            long memory = filled(bytes);
            pair.nodes.a().faults().failWorkRequests(3, 1, WorkCompletionStatus.REM_ACCESS_ERR);

            TransferReceipt receipt =
                    push(pair, memory, SIZE, PushOptions.defaults()).get(30, TimeUnit.SECONDS);

            assertThat(receipt.bytes()).isEqualTo(SIZE);
            assertArrived(pair, bytes);
            GpuPair.free(memory);
        }
    }

    /** As the allocators of other libraries make them: parts that were mapped side by side, each an allocation of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"direct", "staged", "shared"})
    void whenTensorReachesOverSegmentsThenBytesAreExactOnEveryPath(String way) throws Exception {
        int segment = 2 << 20;
        Side side = way.equals("direct") ? Side.DMABUF : Side.STAGED;
        try (GpuPair pair = way.equals("shared")
                ? GpuPair.sharing(side, side, TransferOptions.builder())
                : new GpuPair(side, side)) {
            long start = StubCuda.segments(4, segment);
            byte[] bytes = new byte[4 * segment];
            random.nextBytes(bytes);
            for (int i = 0; i < 4; i++) {
                StubCuda.write(start + (long) i * segment, Arrays.copyOfRange(bytes, i * segment, (i + 1) * segment));
            }
            for (int offset : new int[] {0, segment - 1000, 77}) {
                int size = offset == 77 ? 3 * segment + 5 : segment + 2000;

                TransferReceipt receipt =
                        push(pair, start + offset, size, PushOptions.defaults()).get(30, TimeUnit.SECONDS);

                assertThat(receipt.path())
                        .isEqualTo(
                                switch (way) {
                                    case "direct" -> TransferPath.GPU_DIRECT;
                                    case "staged" -> TransferPath.HOST_STAGED;
                                    default -> TransferPath.CUDA_IPC;
                                });
                assertArrived(pair, Arrays.copyOfRange(bytes, offset, offset + size));
            }
            pair.gpuOfA().trim();
            StubCuda.freeSegments(start, 4, segment);
        }
    }

    @Test
    void whenTensorLiesInAGpuThatTheNodeDoesNotUseThenErrorSaysSo() {
        try (GpuPair pair = new GpuPair(Side.HOST, Side.HOST);
                Tensor tensor = Tensor.ofCuda("t", DataType.U8, Shape.of(10), 4096, 3)) {
            assertThatThrownBy(() -> pair.a().push(TwoNodes.B, tensor).get(5, TimeUnit.SECONDS))
                    .hasMessageContaining("cuda:3")
                    .hasMessageContaining("uses no such GPU");
            assertThatThrownBy(tensor::asByteBuffer)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("cuda:3");
        }
    }

    @Test
    void whenTenThousandMixedPushesWereMadeThenNothingIsLeft() throws Exception {
        StubCuda.set("ordering", 100);
        for (Side receiver : new Side[] {Side.DMABUF, Side.STAGED}) {
            try (GpuPair pair = new GpuPair(receiver == Side.DMABUF ? Side.STAGED : Side.DMABUF, receiver)) {
                mixedPushes(pair, 5_000);
                assertThat(pair.gpuOfA().registrations()).isLessThanOrEqualTo(256);
                pair.gpuOfA().trim();
                assertThat(pair.gpuOfA().registrations()).isZero();
            }
            // GpuPair looks for contexts, streams, events, allocations and pinned memory that are left.
        }
    }

    private void mixedPushes(GpuPair pair, int count) throws Exception {
        List<Long> memories = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            memories.add(GpuPair.allocate(200_000));
        }
        List<CompletableFuture<TransferReceipt>> pushes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int size = new int[] {0, 1, 700, 5_000, 65_537, 199_000}[random.nextInt(6)];
            long memory = memories.get(random.nextInt(memories.size())) + random.nextInt(1000);
            pushes.add(push(pair, memory, size, PushOptions.defaults()));
            if (pushes.size() == 20) {
                for (CompletableFuture<TransferReceipt> push : pushes) {
                    push.get(30, TimeUnit.SECONDS);
                }
                pushes.clear();
                for (ReceivedTensor tensor = pair.received().poll();
                        tensor != null;
                        tensor = pair.received().poll()) {
                    tensor.close();
                }
            }
            if (i % 500 == 499) {
                long old = memories.remove(0);
                GpuPair.free(old);
                memories.add(GpuPair.allocate(200_000));
            }
        }
        memories.forEach(GpuPair::free);
    }
}

package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pushes of what the GPU still computes, on the stub of the driver with late streams. */
class GpuOrderTest {

    private static final int SIZE = 3 << 20;

    private static final byte OLD = 0;

    private static final byte NEW = 0x7E;

    @BeforeEach
    void reset() {
        StubCuda.reset();
    }

    static Stream<Side> senders() {
        return Stream.of(Side.DMABUF, Side.STAGED);
    }

    private static CUstream newStream() {
        CUstream stream = new CUstream();
        assertThat(JCudaDriver.cuStreamCreate(stream, 1)).isZero();
        return stream;
    }

    /** Gives work that ends in new bytes, late. */
    private static void fill(long memory, int size, CUstream stream, int times) {
        for (int i = times - 1; i >= 0; i--) {
            assertThat(JCudaDriver.cuMemsetD8Async(StubPlatform.pointer(memory), (byte) (NEW - i), size, stream))
                    .isZero();
        }
    }

    private static void clear(long memory) {
        assertThat(JCudaDriver.cuMemsetD8(StubPlatform.pointer(memory), OLD, SIZE))
                .isZero();
        assertThat(JCudaDriver.cuCtxSynchronize()).isZero();
    }

    private static CompletableFuture<TransferReceipt> push(GpuPair pair, long memory, int size, PushOptions options) {
        try (Tensor tensor = Tensor.ofCuda("fresh", DataType.U8, Shape.of(size), memory, 0)) {
            return pair.a().push(TwoNodes.B, tensor, options.withDeadline(Duration.ofSeconds(20)));
        }
    }

    private static void assertNew(GpuPair pair, int size) throws InterruptedException {
        try (ReceivedTensor received = pair.received().poll(20, TimeUnit.SECONDS)) {
            assertThat(received).isNotNull();
            byte[] bytes = StubCuda.read(received.tensor().address(), size);
            for (byte value : bytes) {
                if (value != NEW) {
                    assertThat(value).isEqualTo(NEW);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void whenStreamIsGivenThenNewBytesArriveOneHundredTimes(Side sender) throws Exception {
        try (GpuPair pair = new GpuPair(sender, Side.DMABUF)) {
            long memory = GpuPair.allocate(SIZE);
            CUstream stream = newStream();
            for (int round = 0; round < 100; round++) {
                int size = round % 2 == 0 ? SIZE : 1000;
                clear(memory);
                StubCuda.set("delay-us", 300);
                fill(memory, SIZE, stream, 20);
                CompletableFuture<TransferReceipt> push =
                        push(pair, memory, size, PushOptions.defaults().withAfter(CudaWait.stream(stream)));
                push.get(20, TimeUnit.SECONDS);
                assertNew(pair, size);
                StubCuda.set("delay-us", 0);
            }
            JCudaDriver.cuStreamDestroy(stream);
            GpuPair.free(memory);
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void whenNothingIsGivenThenDefaultStreamAndOrdinaryStreamsAreWaitedFor(Side sender) throws Exception {
        try (GpuPair pair = new GpuPair(sender, Side.STAGED)) {
            long memory = GpuPair.allocate(SIZE);
            CUstream ordinary = new CUstream();
            assertThat(JCudaDriver.cuStreamCreate(ordinary, 0)).isZero();
            StubCuda.set("delay-us", 2_000);
            for (CUstream stream : new CUstream[] {new CUstream(), ordinary}) {
                clear(memory);
                fill(memory, SIZE, stream, 10);
                push(pair, memory, SIZE, PushOptions.defaults()).get(20, TimeUnit.SECONDS);
                assertNew(pair, SIZE);
            }
            JCudaDriver.cuStreamDestroy(ordinary);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenEventIsGivenThenWorkBeforeItIsWaitedForAndNotWorkAfterIt() throws Exception {
        try (GpuPair pair = new GpuPair(Side.DMABUF, Side.DMABUF)) {
            long memory = GpuPair.allocate(SIZE);
            long other = GpuPair.allocate(SIZE);
            clear(memory);
            CUstream stream = newStream();
            CUevent event = new CUevent();
            JCudaDriver.cuEventCreate(event, 2);
            StubCuda.set("delay-us", 20_000);
            fill(memory, SIZE, stream, 5);
            JCudaDriver.cuEventRecord(event, stream);
            fill(other, SIZE, stream, 100);

            push(pair, memory, SIZE, PushOptions.defaults().withAfter(CudaWait.event(event)))
                    .get(20, TimeUnit.SECONDS);

            assertThat(JCudaDriver.cuStreamQuery(stream)).isNotZero();
            assertNew(pair, SIZE);
            StubCuda.set("delay-us", 0);
            JCudaDriver.cuStreamDestroy(stream);
            JCudaDriver.cuEventDestroy(event);
            GpuPair.free(memory);
            GpuPair.free(other);
        }
    }

    @Test
    void whenStreamIsOfAnotherContextThenItIsWaitedForAndCallersContextIsKept() throws Exception {
        try (GpuPair pair = new GpuPair(Side.DMABUF, Side.DMABUF)) {
            CUcontext own = new CUcontext();
            CUdevice device = new CUdevice();
            JCudaDriver.cuDeviceGet(device, 0);
            assertThat(JCudaDriver.cuCtxCreate(own, 0, device)).isZero();
            long memory = GpuPair.allocate(SIZE);
            CUstream stream = newStream();
            StubCuda.set("delay-us", 5_000);
            fill(memory, SIZE, stream, 10);
            AtomicReference<CompletableFuture<TransferReceipt>> push = new AtomicReference<>();
            Thread thread = new Thread(() ->
                    push.set(push(pair, memory, SIZE, PushOptions.defaults().withAfter(CudaWait.stream(stream)))));
            thread.start();
            thread.join();

            push.get().get(20, TimeUnit.SECONDS);

            assertNew(pair, SIZE);
            CUcontext current = new CUcontext();
            JCudaDriver.cuCtxGetCurrent(current);
            assertThat(current).isEqualTo(own);
            StubCuda.set("delay-us", 0);
            JCudaDriver.cuStreamDestroy(stream);
            GpuPair.free(memory);
            JCudaDriver.cuCtxDestroy(own);
        }
    }

    @Test
    void whenGpuNeverGetsThereThenDeadlineEndsThePushAndGivesTheTensorBack() throws Exception {
        try (GpuPair pair = new GpuPair(Side.DMABUF, Side.DMABUF)) {
            long memory = GpuPair.allocate(SIZE);
            CUstream stream = newStream();
            StubCuda.set("delay-us", 2_000_000);
            fill(memory, SIZE, stream, 1);
            CompletableFuture<Void> released = new CompletableFuture<>();
            Tensor tensor = Tensor.of(
                    new TensorDescriptor("late", DataType.U8, Shape.of(SIZE)),
                    memory,
                    MemoryKind.cuda(0),
                    () -> released.complete(null));
            CompletableFuture<TransferReceipt> push = pair.a()
                    .push(
                            TwoNodes.B,
                            tensor,
                            PushOptions.defaults()
                                    .withAfter(CudaWait.stream(stream))
                                    .withDeadline(Duration.ofMillis(200)));
            tensor.close();

            assertThatThrownBy(() -> push.get(5, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("late");

            assertThat(released).succeedsWithin(Duration.ofSeconds(1));
            assertThat(JCudaDriver.cuStreamQuery(stream)).isNotZero();
            StubCuda.set("delay-us", 0);
            JCudaDriver.cuStreamSynchronize(stream);
            JCudaDriver.cuStreamDestroy(stream);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenGpuDoesNotOrderWritesThenTheyAreFlushedBeforeTheListenerSeesThem() throws Exception {
        try (GpuPair pair = new GpuPair(Side.DMABUF, Side.DMABUF)) {
            long memory = GpuPair.allocate(SIZE);
            push(pair, memory, SIZE, PushOptions.defaults()).get(20, TimeUnit.SECONDS);
            try (ReceivedTensor received = pair.received().poll(20, TimeUnit.SECONDS)) {
                assertThat(received).isNotNull();
            }
            assertThat(StubCuda.count("flushes")).isEqualTo(1);
            GpuPair.free(memory);
        }
        StubCuda.reset();
        StubCuda.set("ordering", 100);
        try (GpuPair pair = new GpuPair(Side.DMABUF, Side.DMABUF)) {
            long memory = GpuPair.allocate(SIZE);
            push(pair, memory, SIZE, PushOptions.defaults()).get(20, TimeUnit.SECONDS);
            try (ReceivedTensor received = pair.received().poll(20, TimeUnit.SECONDS)) {
                assertThat(received).isNotNull();
            }
            assertThat(StubCuda.count("flushes")).isZero();
            GpuPair.free(memory);
        }
    }
}

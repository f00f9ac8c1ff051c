package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.memory.cuda.GpuMemoryOptions;
import io.tensorfabric.memory.cuda.GpuRegistration;
import io.tensorfabric.memory.cuda.StubPlatform;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Transfers between two nodes with GPUs, on software devices and the stub of the driver: A uses cuda:0 and B cuda:1. The
 * test's own thread has the primary context of cuda:0. Closing it looks for leaks at all floors.
 */
final class GpuPair implements AutoCloseable {

    /**
     * A node.
     *
     * @param registration how it reaches its GPU; null for one that has none
     * @param landsInHost whether tensors land in host memory though it has a GPU
     */
    record Side(@Nullable GpuRegistration registration, boolean landsInHost) {
        static final Side DMABUF = new Side(GpuRegistration.DMABUF);
        static final Side PEERMEM = new Side(GpuRegistration.PEERMEM);
        static final Side STAGED = new Side(GpuRegistration.STAGING);
        static final Side HOST = new Side(null);

        private Side(@Nullable GpuRegistration registration) {
            this(registration, false);
        }

        Side landingInHost() {
            return new Side(registration, true);
        }
    }

    private static final long MIB = 1 << 20;

    private final long allocatedBefore = OffHeap.allocatedBytes();
    private final BlockingQueue<ReceivedTensor> received = new LinkedBlockingQueue<>();
    private final CUdevice device = new CUdevice();
    final TwoNodes nodes;

    /** Memory of a node's GPU. */
    private static final class Gpu implements TestNode.Companion {

        private final @Nullable GpuMemory memory;

        private final MemoryKind landing;

        Gpu(FabricDevice device, Side side, int ordinal) {
            GpuRegistration registration = side.registration();
            memory = registration == null
                    ? null
                    : GpuMemory.open(
                            StubPlatform.detect(),
                            ordinal,
                            device.protectionDomain(),
                            GpuMemoryOptions.defaults()
                                    .withPool(new MemoryPoolOptions(
                                            64 * MIB, 1024 * MIB, GpuMemoryOptions.BLOCK, Duration.ofSeconds(5)))
                                    .withRegistration(registration),
                            device.usesMemoryWindows());
            landing = memory == null || side.landsInHost() ? MemoryKind.HOST : memory.kind();
        }

        @Override
        public MemoryProvider hostMemory() {
            return memory == null ? TestNode.Companion.super.hostMemory() : memory.pinnedHostMemory();
        }

        @Override
        public void close() {
            if (memory != null) {
                memory.close();
            }
        }
    }

    GpuPair(Side a, Side b) {
        this(a, b, TransferOptions.builder());
    }

    GpuPair(Side a, Side b, TransferOptions.Builder options) {
        this(a, b, options, false);
    }

    /** A pair whose GPUs copy to each other by CUDA IPC, as those of two processes do. */
    static GpuPair sharing(Side a, Side b, TransferOptions.Builder options) {
        StubCuda.set("ipc-self", 1);
        return new GpuPair(a, b, options, true);
    }

    GpuPair(Side a, Side b, TransferOptions.Builder options, boolean cudaIpc) {
        TransferOptions built = options.build();
        nodes = TwoNodes.start(builder -> builder.device(SoftDeviceOptions.defaults())
                .poolOptions(new MemoryPoolOptions(64 * MIB, 1024 * MIB, 256, Duration.ofSeconds(5)))
                .companion(opened -> new Gpu(opened, isA(builder) ? a : b, isA(builder) ? 0 : 1))
                .handler(node -> transfers(node, built, cudaIpc)));
        CUcontext context = new CUcontext();
        JCudaDriver.cuInit(0);
        JCudaDriver.cuDeviceGet(device, 0);
        JCudaDriver.cuDevicePrimaryCtxRetain(context, device);
        JCudaDriver.cuCtxPushCurrent(context);
        b().register("keep", "*", "*", received::add);
    }

    private static boolean isA(TestNode.Builder builder) {
        return builder.name().equals(TwoNodes.A);
    }

    private static FabricTransfers transfers(TestNode node, TransferOptions options, boolean cudaIpc) {
        Gpu gpu = (Gpu) node.companion();
        GpuMemory memory = gpu.memory;
        FabricTransfers transfers = FabricTransfers.builder()
                .options(options)
                .pool(node.pool())
                .gpus(memory == null ? List.of() : List.of(memory))
                .cudaIpc(cudaIpc)
                .landing(gpu.landing)
                .protectionDomain(node.device().protectionDomain())
                .connector(peer -> node.manager().connect(peer))
                .build();
        transfers.start();
        return transfers;
    }

    FabricTransfers a() {
        return (FabricTransfers) nodes.a().handler();
    }

    FabricTransfers b() {
        return (FabricTransfers) nodes.b().handler();
    }

    /** Memory of A's GPU. */
    GpuMemory gpuOfA() {
        return ((Gpu) nodes.a().companion()).memory;
    }

    /** Memory of B's GPU. */
    GpuMemory gpuOfB() {
        return ((Gpu) nodes.b().companion()).memory;
    }

    /** What came to B. */
    BlockingQueue<ReceivedTensor> received() {
        return received;
    }

    /** Memory of cuda:0 as an application allocates it. */
    static long allocate(long bytes) {
        CUdeviceptr pointer = new CUdeviceptr();
        assertThat(JCudaDriver.cuMemAlloc(pointer, bytes)).isZero();
        return StubPlatform.address(pointer);
    }

    static void free(long address) {
        assertThat(JCudaDriver.cuMemFree(StubPlatform.pointer(address))).isZero();
    }

    @Override
    public void close() {
        nodes.a().faults().clear();
        nodes.b().faults().clear();
        a().close(Duration.ofSeconds(10));
        b().close(Duration.ofSeconds(10));
        received.forEach(ReceivedTensor::close);
        JCudaDriver.cuCtxPopCurrent(new CUcontext());
        JCudaDriver.cuDevicePrimaryCtxRelease(device);
        nodes.close();
        assertThat(OffHeap.allocatedBytes()).isEqualTo(allocatedBefore);
        StubCuda.assertClean();
    }
}

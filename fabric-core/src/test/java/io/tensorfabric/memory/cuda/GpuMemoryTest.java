package io.tensorfabric.memory.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.PoolExhaustedException;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.testing.cuda.StubCuda;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import jcuda.driver.CUcontext;
import jcuda.driver.CUpointer_attribute;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pool of a GPU, its copies, and contexts of threads. */
class GpuMemoryTest {

    private GpuFixture fixture;

    private GpuMemory memory;

    @BeforeEach
    void open() {
        StubCuda.reset();
        fixture = new GpuFixture();
        memory = fixture.open();
    }

    @AfterEach
    void close() {
        memory.close();
        fixture.close();
        StubCuda.assertClean();
    }

    @Test
    void whenBuffersAreLeasedThenTheyAreAlignedRegisteredOnceAndSynchronizing() {
        MemoryRegionPool pool = memory.pool();
        long before = StubCuda.count("exports");
        List<BufferLease> leases = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            leases.add(pool.acquire(1000 + i, "test"));
        }
        for (BufferLease lease : leases) {
            assertThat(lease.kind()).isEqualTo(MemoryKind.cuda(0));
            assertThat(lease.address() % GpuMemoryOptions.BLOCK).isZero();
            assertThat(lease.region()).isSameAs(memory.regionOf(lease.address(), lease.length()));
            assertThat(CudaDriver.pointerAttribute(
                            CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, lease.address(), "test"))
                    .isEqualTo(1);
        }
        assertThat(StubCuda.count("exports") - before).isEqualTo(1);
        leases.forEach(BufferLease::close);
    }

    @Test
    void whenPoolIsExhaustedThenErrorNamesIt() {
        try (BufferLease all = memory.pool().acquire(64 << 20, "all of it")) {
            assertThatThrownBy(() -> memory.pool().acquire(1, "one more", Duration.ofMillis(10)))
                    .isInstanceOf(PoolExhaustedException.class)
                    .hasMessageContaining("cuda:0")
                    .hasMessageContaining("all of it");
            assertThat(all.length()).isEqualTo(64 << 20);
        }
    }

    @Test
    void whenGpuIsFullThenErrorNamesCallAndRemedy() {
        StubCuda.set("memory", 1 << 20);
        assertThatThrownBy(() -> memory.pool().acquire(4 << 20, "test"))
                .isInstanceOf(CudaDriverException.class)
                .hasMessageContaining("cuMemAlloc")
                .hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY")
                .hasMessageContaining("fabric.memory.gpu.max-size");
    }

    @Test
    void whenThreadHasNoContextThenCallsWorkAndItStillHasNone() throws Exception {
        List<CompletableFuture<Boolean>> calls = new ArrayList<>();
        CompletableFuture<Boolean> fresh = new CompletableFuture<>();
        new Thread(() -> fresh.complete(contextIsKept())).start();
        calls.add(fresh);
        calls.add(CompletableFuture.supplyAsync(this::contextIsKept, ForkJoinPool.commonPool()));
        for (CompletableFuture<Boolean> call : calls) {
            assertThat(call.get(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(contextIsKept()).isTrue();
    }

    @Test
    void whenThreadHasContextOfAnotherGpuThenItIsCurrentAgainAfterwards() {
        CUcontext other = new CUcontext();
        CudaDriver.check("cuCtxCreate", "test", () -> JCudaDriver.cuCtxCreate(other, 0, CudaDriver.device(1)));
        try {
            assertThat(contextIsKept()).isTrue();
            assertThat(current()).isEqualTo(other);
        } finally {
            CudaDriver.check("cuCtxDestroy", "test", () -> JCudaDriver.cuCtxDestroy(other));
        }
    }

    private boolean contextIsKept() {
        CUcontext before = current();
        try (BufferLease lease = memory.pool().acquire(100, "thread")) {
            long host = OffHeap.allocate(100, 64);
            memory.copies().toHost(lease.address(), host, 100, Duration.ofSeconds(5));
            OffHeap.free(host);
        }
        long own = allocate(1000);
        memory.register(own, 1000).close();
        assertThatThrownBy(() -> memory.register(12345, 10)).isInstanceOf(IllegalArgumentException.class);
        free(own);
        return before.equals(current());
    }

    private static CUcontext current() {
        CUcontext current = new CUcontext();
        CudaDriver.check("cuCtxGetCurrent", "test", () -> JCudaDriver.cuCtxGetCurrent(current));
        return current;
    }

    /** As the application does, in the primary context. */
    private static long allocate(long bytes) {
        try (CudaContext context = CudaContext.retain(0)) {
            return context.call(() -> CudaDriver.allocate(bytes, 0));
        }
    }

    private static void free(long address) {
        try (CudaContext context = CudaContext.retain(0)) {
            context.run(() -> CudaDriver.free(address, 0));
        }
    }

    @Test
    void whenBytesGoUpAndDownThenTheyAreTheSame() {
        int bytes = 100_001;
        try (MemoryRegionPool host = MemoryRegionPool.create(
                        "host", fixture.domain, memory.pinnedHostMemory(), GpuFixture.OPTIONS.pool(), false);
                BufferLease device = memory.pool().acquire(bytes, "test");
                BufferLease source = host.acquire(bytes, "test");
                BufferLease target = host.acquire(bytes, "test")) {
            byte[] content = new byte[bytes];
            new java.util.Random(7).nextBytes(content);
            OffHeap.copyFromArray(content, 0, source.address(), bytes);

            memory.copies().toDevice(source.address(), device.address(), bytes, Duration.ofSeconds(5));
            memory.copies().toHost(device.address(), target.address(), bytes, Duration.ofSeconds(5));

            byte[] back = new byte[bytes];
            OffHeap.copyToArray(target.address(), back, 0, bytes);
            assertThat(back).isEqualTo(content);
            assertThat(StubCuda.read(device.address(), bytes)).isEqualTo(content);
            assertThat(StubCuda.count("pins")).isPositive();
        }
        assertThat(StubCuda.count("pins")).isZero();
    }

    @Test
    void whenCopyFailsThenErrorNamesTheCall() {
        StubCuda.fail("cuMemcpyDtoHAsync", 700, 0, 1);
        try (BufferLease lease = memory.pool().acquire(100, "test")) {
            assertThatThrownBy(() -> memory.copies().toHost(lease.address(), 4096, 100, Duration.ofSeconds(5)))
                    .isInstanceOf(CudaDriverException.class)
                    .hasMessageContaining("cuMemcpyDtoHAsync")
                    .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
        }
    }
}

package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.memory.cuda.CudaExtensions;
import io.tensorfabric.testing.cuda.StubCuda;
import java.nio.file.Files;
import java.nio.file.Path;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The driver's calls through the shim, on the stub of the driver. */
class NativeCudaExtensionsTest {

    private static final int SIZE = 2 << 20;

    private final CUcontext context = new CUcontext();

    private final CUdeviceptr memory = new CUdeviceptr();

    private final CudaExtensions extensions = new NativeCudaExtensions();

    @BeforeEach
    void open() {
        StubCuda.reset();
        JCudaDriver.cuInit(0);
        CUdevice device = new CUdevice();
        JCudaDriver.cuDeviceGet(device, 0);
        JCudaDriver.cuCtxCreate(context, 0, device);
        JCudaDriver.cuMemAlloc(memory, SIZE);
    }

    @AfterEach
    void close() {
        JCudaDriver.cuMemFree(memory);
        JCudaDriver.cuCtxDestroy(context);
        StubCuda.assertClean();
    }

    /** The address, as the fabric's own code finds it out. */
    private long address() {
        return io.tensorfabric.memory.cuda.StubPlatform.address(memory);
    }

    @Test
    void whenMemoryIsExportedThenItIsAFileOfItsSizeUntilClosed() throws Exception {
        assertThat(extensions.isAvailable()).isTrue();
        long descriptor = extensions.exportDmaBuf(address(), SIZE);
        assertThat(descriptor).isPositive();
        Path file = Path.of("/proc/self/fd/" + descriptor);
        assertThat(Files.size(file)).isEqualTo(SIZE);

        extensions.close((int) descriptor);

        assertThat(file.toFile()).doesNotExist();
    }

    @Test
    void whenDriverRefusesThenItsErrorIsReturned() {
        StubCuda.set("dmabuf", 0);

        assertThat(extensions.isAvailable()).isTrue();
        assertThat(extensions.exportDmaBuf(address(), SIZE)).isEqualTo(-801);
        assertThat(extensions.flushWrites()).isZero();
        StubCuda.set("flush", 0);
        assertThat(extensions.flushWrites()).isEqualTo(801);
    }
}

package io.tensorfabric.memory.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.memory.cuda.GpuPath.Kind;
import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.testing.cuda.StubExtensions;
import io.tensorfabric.verbs.Errno;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How the path between a GPU and a verbs device is decided. */
class GpuPathTest {

    private final GpuFixture fixture = new GpuFixture();

    @BeforeEach
    void reset() {
        StubCuda.reset();
    }

    @AfterEach
    void clean() {
        StubExtensions.hide(false);
        fixture.close();
        StubCuda.assertClean();
    }

    private GpuPath path(GpuRegistration registration, boolean required) {
        try (GpuMemory memory =
                fixture.open(GpuFixture.OPTIONS.withRegistration(registration).withDirectRequired(required))) {
            return memory.path();
        }
    }

    private GpuPath auto() {
        return path(GpuRegistration.AUTO, false);
    }

    @Test
    void whenDmaBufWorksThenItIsTaken() {
        assertThat(auto().kind()).isEqualTo(Kind.DMABUF);
        assertThat(StubCuda.count("exports")).isPositive();
    }

    @Test
    void whenDeviceTakesNoDmaBufThenPeerMemoryIsTakenAndReasonSaysWhy() {
        fixture.faults.failCall("ibv_reg_dmabuf_mr", Errno.EOPNOTSUPP, 1);

        GpuPath path = auto();

        assertThat(path.kind()).isEqualTo(Kind.PEERMEM);
        assertThat(path.reason()).contains("dma-buf").contains("EOPNOTSUPP");
    }

    @Test
    void whenDriverExportsNoDmaBufThenPeerMemoryIsTaken() {
        StubCuda.set("dmabuf", 0);

        GpuPath path = auto();

        assertThat(path.kind()).isEqualTo(Kind.PEERMEM);
        assertThat(path.reason()).contains("CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED");
    }

    @Test
    void whenExportFailsThenPeerMemoryIsTakenAndReasonNamesTheCall() {
        StubCuda.fail("cuMemGetHandleForAddressRange", 801, 0, 1);

        GpuPath path = auto();

        assertThat(path.kind()).isEqualTo(Kind.PEERMEM);
        assertThat(path.reason()).contains("cuMemGetHandleForAddressRange").contains("CUDA_ERROR_NOT_SUPPORTED");
    }

    @Test
    void whenNativePartIsMissingThenPeerMemoryIsTaken() {
        StubExtensions.hide(true);

        GpuPath path = auto();

        assertThat(path.kind()).isEqualTo(Kind.PEERMEM);
        assertThat(path.reason()).contains("fabric-native");
    }

    @Test
    void whenNeitherWorksThenStagingWithBothReasons() {
        StubCuda.set("dmabuf", 0);
        StubCuda.set("peermem", 0);

        GpuPath path = auto();

        assertThat(path.kind()).isEqualTo(Kind.STAGING);
        assertThat(path.isDirect()).isFalse();
        assertThat(path.reason())
                .contains("dma-buf: ")
                .contains("peer memory: ")
                .contains("EFAULT");
    }

    @Test
    void whenNeitherWorksAndDirectIsRequiredThenErrorHasBothReasons() {
        StubCuda.set("dmabuf", 0);
        StubCuda.set("peermem", 0);

        assertThatThrownBy(() -> path(GpuRegistration.AUTO, true))
                .isInstanceOf(GpuDirectUnavailableException.class)
                .hasMessageContaining("cuda:0")
                .hasMessageContaining("dma-buf: ")
                .hasMessageContaining("peer memory: ");
    }

    @Test
    void whenGpuHasNoGpuDirectThenStaging() {
        StubCuda.set("gdr", 0);

        assertThat(auto().reason()).contains("CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED");
        assertThat(StubCuda.count("exports")).isZero();
    }

    @Test
    void whenStagingIsForcedThenNothingIsTried() {
        GpuPath path = path(GpuRegistration.STAGING, false);

        assertThat(path.kind()).isEqualTo(Kind.STAGING);
        assertThat(StubCuda.count("exports")).isZero();
    }

    @Test
    void whenForcedWayDoesNotWorkThenItIsAnErrorAndNotReplaced() {
        StubCuda.set("dmabuf", 0);

        assertThatThrownBy(() -> path(GpuRegistration.DMABUF, false))
                .isInstanceOf(GpuDirectUnavailableException.class)
                .hasMessageContaining("dma-buf: ");
        assertThat(path(GpuRegistration.PEERMEM, true).kind()).isEqualTo(Kind.PEERMEM);
    }

    @Test
    void whenGpuCannotShowWritesThenPeersDoNotLandInIt() {
        StubCuda.set("flush", 0);
        try (GpuMemory memory = fixture.open()) {
            assertThat(memory.path().isDirect()).isTrue();
            assertThat(memory.landsDirectly()).isFalse();
        }
        StubCuda.set("ordering", 100);
        try (GpuMemory memory = fixture.open()) {
            assertThat(memory.landsDirectly()).isTrue();
        }
    }

    @Test
    void whenGpuNeedsFlushThenDriverIsCalledElseNot() {
        try (GpuMemory memory = fixture.open()) {
            memory.flushWrites();
        }
        assertThat(StubCuda.calls("cuFlushGPUDirectRDMAWrites")).isEqualTo(1);
        StubCuda.set("ordering", 100);
        try (GpuMemory memory = fixture.open()) {
            memory.flushWrites();
        }
        assertThat(StubCuda.calls("cuFlushGPUDirectRDMAWrites")).isEqualTo(1);
    }
}

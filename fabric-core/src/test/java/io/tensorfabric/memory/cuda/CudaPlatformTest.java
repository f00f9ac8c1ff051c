package io.tensorfabric.memory.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.testing.cuda.StubCuda;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which GPUs there are, on the stub of the driver. */
class CudaPlatformTest {

    @BeforeEach
    void reset() {
        StubCuda.reset();
    }

    @AfterEach
    void clean() {
        StubCuda.assertClean();
    }

    @Test
    void whenDriverShowsGpusThenTheyAreDescribed() {
        CudaPlatform platform = CudaPlatform.detectAnew();

        assertThat(platform.isAvailable()).isTrue();
        assertThat(platform.devices()).hasSize(2);
        CudaDevice second = platform.device(1);
        assertThat(second.name()).isEqualTo("Stub GPU (no hardware)");
        assertThat(second.pciAddress()).isEqualTo("0000:91:00.0");
        assertThat(second.uuid()).isEqualTo(StubCuda.uuid(1, -1));
        assertThat(second.computeCapability()).isEqualTo("9.0");
        assertThat(second.totalMemory()).isEqualTo(8L << 30);
        assertThat(second.direct().rdma()).isTrue();
        assertThat(second.direct().dmaBuf()).isTrue();
        assertThat(second.direct().ordersWrites()).isFalse();
    }

    @Test
    void whenAttributesAreOffThenTheyAreReportedOff() {
        StubCuda.set("gdr", 0);
        StubCuda.set("dmabuf", 0);
        StubCuda.set("ordering", 200);

        CudaDevice.DirectAttributes direct = CudaPlatform.detectAnew().device(0).direct();

        assertThat(direct.rdma()).isFalse();
        assertThat(direct.dmaBuf()).isFalse();
        assertThat(direct.ordersWrites()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"index", "uuid", "short"})
    void whenOneGpuIsVisibleByAnyNameThenItIsTheSame(String how) {
        String uuid = StubCuda.uuid(1, -1);
        StubCuda.visible(
                switch (how) {
                    case "index" -> "1";
                    case "uuid" -> uuid;
                    default -> uuid.substring(0, 12);
                });

        CudaPlatform platform = CudaPlatform.detectAnew();

        assertThat(platform.devices()).hasSize(1);
        assertThat(platform.device(0).pciAddress()).isEqualTo("0000:91:00.0");
        assertThat(platform.device(0).ordinal()).isZero();
    }

    @Test
    void whenMigInstanceIsVisibleThenItIsNamedAsOne() {
        StubCuda.visible(StubCuda.uuid(0, 1));

        CudaDevice device = CudaPlatform.detectAnew().device(0);

        assertThat(device.uuid()).isEqualTo(StubCuda.uuid(0, 1)).startsWith("MIG-");
        assertThat(device.pciAddress()).isEqualTo("0000:81:00.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", "", "GPU-00000000"})
    void whenNoGpuIsVisibleThenHostOnlyWithTheSameClearError(String visible) {
        StubCuda.visible(visible);

        CudaPlatform platform = CudaPlatform.detectAnew();

        assertThat(platform.isAvailable()).isFalse();
        assertThat(platform.devices()).isEmpty();
        assertThat(platform.unavailabilityReason()).get().asString().contains("no GPU");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> platform.device(0))
                    .isInstanceOf(GpuUnavailableException.class)
                    .hasMessageStartingWith("There is no GPU memory on this node: ")
                    .hasMessageContaining(platform.unavailabilityReason().orElseThrow());
        }
    }

    @Test
    void whenNumberIsTooHighThenErrorSaysHowManyThereAre() {
        CudaPlatform platform = CudaPlatform.detectAnew();

        assertThatThrownBy(() -> platform.device(2))
                .isInstanceOf(GpuUnavailableException.class)
                .hasMessageContaining("cuda:2")
                .hasMessageContaining("2 visible");
    }

    @Test
    void whenDriverFailsToStartThenReasonNamesItsError() {
        StubCuda.fail("cuInit", 999, 0, 1);

        assertThat(CudaPlatform.detectAnew().unavailabilityReason())
                .get()
                .asString()
                .contains("cuInit")
                .contains("CUDA_ERROR_UNKNOWN");
    }
}

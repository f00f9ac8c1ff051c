package io.tensorfabric.memory.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.testing.cuda.StubCuda;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** GPU memory that other processes open, and theirs that is opened here. */
class CudaIpcMemoryTest {

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
    void whenMemoryIsExportedThenItSharesNoBlockOfTheDriverAndIsCleared() {
        try (GpuExport export = memory.export(1000)) {
            assertThat(export.length()).isEqualTo(2L << 20);
            assertThat(export.address() % (2L << 20)).isZero();
            assertThat(export.kind()).isEqualTo(MemoryKind.cuda(0));
            assertThat(StubCuda.calls("cuMemsetD8Async")).isEqualTo(1);
            assertThat(StubCuda.read(export.address(), 2 << 20)).containsOnly(0);
            assertThat(memory.exports()).isEqualTo(1);
            String handle = HexFormat.of().formatHex(export.handle());
            assertThat(handle).hasSize(128);
            assertThat(export.toString()).doesNotContain(handle.substring(0, 16));
        }
        assertThat(memory.exports()).isZero();
    }

    @Test
    void whenItIsOpenedThenBothSeeTheSameBytes() {
        StubCuda.set("ipc-self", 1);
        try (GpuExport export = memory.export(3_000_000);
                GpuImport opened = memory.open(export.handle())) {
            assertThat(export.length()).isEqualTo(4L << 20);
            assertThat(opened.address()).isNotEqualTo(export.address());
            StubCuda.write(opened.address() + 2_999_999, new byte[] {7});
            assertThat(StubCuda.read(export.address() + 2_999_999, 1)).containsExactly(7);
            assertThat(memory.imports()).isEqualTo(1);
        }
    }

    @Test
    void whenTheDriverSharesNothingThenTheErrorNamesTheCallAndTheMemoryIsFree() {
        StubCuda.set("ipc", 0);
        assertThatThrownBy(() -> memory.export(1000))
                .isInstanceOf(CudaDriverException.class)
                .hasMessageContaining("cuIpcGetMemHandle")
                .hasMessageContaining("CUDA_ERROR_NOT_SUPPORTED");
        assertThat(memory.exports()).isZero();
    }

    @Test
    void whenTheHandleIsOfThisProcessThenTheDriverRefuses() {
        try (GpuExport export = memory.export(1000)) {
            assertThatThrownBy(() -> memory.open(export.handle()))
                    .isInstanceOf(CudaDriverException.class)
                    .hasMessageContaining("cuIpcOpenMemHandle");
        }
        assertThat(memory.imports()).isZero();
    }

    @Test
    void whenTheHandleHasAnotherLengthThenItIsRefused() {
        assertThatThrownBy(() -> memory.open(new byte[8])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whenGpuMemoryIsClosedThenWhatWasOpenedIsClosedAndWhatWasExportedIsFreedByItsOwner() {
        StubCuda.set("ipc-self", 1);
        GpuExport export = memory.export(1000);
        memory.open(export.handle());
        memory.close();
        assertThat(StubCuda.calls("cuIpcCloseMemHandle")).isEqualTo(1);
        try (CudaContext context = CudaContext.retain(0)) {
            context.run(() -> CudaDriver.free(export.address(), 0));
        }
        memory = fixture.open();
    }
}

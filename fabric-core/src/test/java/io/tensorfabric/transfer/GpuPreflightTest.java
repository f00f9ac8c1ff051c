package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.diagnostics.Preflight;
import io.tensorfabric.diagnostics.PreflightReport;
import io.tensorfabric.diagnostics.PreflightStep;
import io.tensorfabric.diagnostics.PreflightStep.Outcome;
import io.tensorfabric.diagnostics.PreflightSubject;
import io.tensorfabric.diagnostics.Symptom;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.topology.Machines;
import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.transfer.GpuPair.Side;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps of the preflight that need a GPU, on the stub of the driver and a recorded machine: no GPU takes part. */
@Timeout(60)
class GpuPreflightTest {

    /** A window of 64 GiB. */
    private static final String LARGE = "0x00003ff000000000 0x00003fffffffffff 0x000000000014220c";

    /** A window of 256 MiB, less than the pool may have. */
    private static final String SMALL = "0x00003ff000000000 0x00003ff00fffffff 0x000000000014220c";

    private static final String FIRST = "0x00000000f6000000 0x00000000f6ffffff 0x0000000000040200\n";

    @TempDir
    private Path folder;

    @BeforeEach
    void reset() {
        StubCuda.reset();
    }

    private PreflightReport run(GpuPair pair) {
        PreflightReport report = run(pair, Duration.ofSeconds(30));
        await().untilAsserted(() -> assertThat(kept(pair)).isZero());
        return report;
    }

    private PreflightReport run(GpuPair pair, Duration timeout) {
        GpuMemory gpu = pair.gpuOfA();
        PreflightSubject subject = new PreflightSubject(
                pair.nodes.a().manager(),
                pair.a(),
                pair.nodes.a().pool(),
                List.of(gpu),
                "",
                new Sysfs(folder),
                new Sysfs(folder.resolve("proc")));
        PreflightReport report = new Preflight(subject, timeout).run(TwoNodes.B);
        assertThat(pair.received()).as("heard by a listener").isEmpty();
        return report;
    }

    /** Buffers of both pools that the preflight holds. */
    private static long kept(GpuPair pair) {
        return Stream.of(pair.gpuOfA().pool(), pair.nodes.a().pool())
                .flatMap(pool -> pool.holders().stream())
                .filter(holder -> holder.toString().contains("preflight"))
                .count();
    }

    private static PreflightStep step(PreflightReport report, String name) {
        return Stream.concat(report.environment().stream(), report.ladder().stream())
                .filter(step -> step.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    static Stream<Arguments> directPaths() {
        return Stream.of(
                Arguments.of(Side.DMABUF, Side.DMABUF, "DMABUF"),
                Arguments.of(Side.PEERMEM, Side.HOST, "PEERMEM"),
                Arguments.of(Side.DMABUF, Side.PEERMEM, "DMABUF"));
    }

    @ParameterizedTest
    @MethodSource("directPaths")
    void whenTheDeviceReachesTheGpuThenAMebibyteLeavesItDirectly(Side a, Side b, String kind) {
        try (GpuPair pair = new GpuPair(a, b)) {
            PreflightReport report = run(pair);

            assertThat(step(report, "GPU path").outcome()).isEqualTo(Outcome.OK);
            assertThat(step(report, "GPU path").detail())
                    .contains("cuda:0 by " + kind)
                    .contains("nvidia_peermem is not loaded");
            PreflightStep direct = step(report, "GPU direct");
            assertThat(direct.outcome()).as(String.join("\n", report.text())).isEqualTo(Outcome.OK);
            assertThat(direct.detail())
                    .startsWith("from cuda:0 by " + kind + ", 1048576 bytes arrived whole by gpu_direct")
                    .contains("GB/s");
        }
    }

    @Test
    void whenNoPathIsDirectThenTheMebibyteArrivesAndTheReasonAndTheRemedyAreTold() {
        try (GpuPair pair = new GpuPair(Side.STAGED, Side.STAGED)) {
            PreflightReport report = run(pair);

            for (String name : List.of("GPU path", "GPU direct")) {
                assertThat(step(report, name).outcome()).isEqualTo(Outcome.WARN);
                assertThat(step(report, name).remedy()).isEqualTo(Symptom.GPU_STAGED.remedy());
                assertThat(step(report, name).detail())
                        .contains(pair.gpuOfA().path().reason());
            }
            assertThat(step(report, "GPU direct").detail()).contains("1048576 bytes arrived whole by host_staged");
            assertThat(report.outcome()).isEqualTo(Outcome.WARN);
        }
    }

    @Test
    void whenTheGpuFailsThenTheStepNamesCallErrorAndRemedyAndNothingIsLeft() {
        try (GpuPair pair = new GpuPair(Side.DMABUF, Side.HOST)) {
            StubCuda.fail("cuMemcpyHtoDAsync", 700, 0, 1);
            PreflightReport report = run(pair);

            PreflightStep direct = step(report, "GPU direct");
            assertThat(direct.outcome()).isEqualTo(Outcome.FAIL);
            assertThat(direct.detail()).contains("cuMemcpyHtoDAsync failed with CUDA_ERROR_ILLEGAL_ADDRESS");
            assertThat(direct.remedy()).contains("the process must be restarted");
            assertThat(step(report, "8 at once").outcome()).isEqualTo(Outcome.OK);
            assertThat(report.outcome()).isEqualTo(Outcome.FAIL);
        }
    }

    @Test
    void whenTheGpuIsStuckThenTheStepEndsInTimeAndBothMemoriesAreKeptUntilTheCopyHasEnded() {
        try (GpuPair pair = new GpuPair(Side.DMABUF, Side.HOST)) {
            assertThat(step(run(pair), "GPU direct").outcome()).isEqualTo(Outcome.OK);
            StubCuda.set("delay-us", 3_000_000);

            PreflightReport report = run(pair, Duration.ofSeconds(2));

            PreflightStep direct = step(report, "GPU direct");
            assertThat(direct.outcome()).as(String.join("\n", report.text())).isEqualTo(Outcome.FAIL);
            assertThat(direct.detail()).contains("A copy to the GPU of cuda:0 did not end");
            assertThat(kept(pair)).as("buffers at the GPU and of the host").isEqualTo(2);
            await().until(() -> kept(pair) == 0);
        }
    }

    @Test
    void whenTheKernelShowsTheMachineThenWindowAndDistanceOfTheGpuAreTold() {
        Machines machine = Machines.crossRoot(folder).asDevice("soft0", "mlx5_0");
        machine.window("0000:81:00.0", FIRST + LARGE);
        try (GpuPair pair = new GpuPair(Side.DMABUF, Side.HOST)) {
            PreflightReport report = run(pair);

            assertThat(step(report, "BAR1").outcome()).isEqualTo(Outcome.OK);
            assertThat(step(report, "BAR1").detail()).isEqualTo("cuda:0 has 65536 MiB");
            PreflightStep topology = step(report, "topology");
            assertThat(topology.outcome()).isEqualTo(Outcome.WARN);
            assertThat(topology.detail())
                    .contains("GPU 0000:81:00.0 and soft0 sit apart (SYS)")
                    .contains("choose a GPU near soft0")
                    .contains("iommu=pt");

            machine.window("0000:81:00.0", FIRST + SMALL);
            PreflightStep window = step(run(pair), "BAR1");
            assertThat(window.outcome()).isEqualTo(Outcome.WARN);
            assertThat(window.detail()).contains("cuda:0 has 256 MiB, less than 'fabric.memory.gpu.max-size'");
            assertThat(window.remedy()).isEqualTo(Symptom.BAR1_SMALL.remedy());
        }
    }

    @Test
    void whenTheGpuIsNearThenTheNodeOfTheCardIsTold() {
        Machines.near(folder, "0000:81:00.0", "soft0");
        try (GpuPair pair = new GpuPair(Side.DMABUF, Side.HOST)) {
            PreflightStep topology = step(run(pair), "topology");
            assertThat(topology.outcome()).as(topology.detail()).isEqualTo(Outcome.OK);
            assertThat(topology.detail()).isEqualTo("NUMA node 1");
        }
    }
}

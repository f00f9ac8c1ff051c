package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.testing.cuda.StubCuda;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ConfigurableApplicationContext;

/** Applications that start with, without and against GPUs, each in a process of its own, on the stub of the driver. */
class GpuStartTest {

    /** What the process runs: starts, says what it found, and ends. */
    @EnableAutoConfiguration
    static class Main {

        public static void main(String[] arguments) {
            SpringApplication application = new SpringApplication(Main.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            try (ConfigurableApplicationContext context = application.run(arguments)) {
                FabricNode node = context.getBean(FabricLifecycle.class).requireNode();
                say("gpus " + node.gpus().memories());
                say("landing " + node.gpus().landing());
                say("reason " + node.gpus().unavailabilityReason());
                say("warnings " + node.warnings());
                node.gpus()
                        .memories()
                        .forEach(memory -> say("pci " + memory.device().pciAddress()));
                say("health "
                        + context.getBean("fabricHealthContributor", HealthIndicator.class)
                                .health());
            }
        }

        private static void say(String line) {
            System.out.println("> " + line);
        }
    }

    private static final class Result {

        private final int exit;

        private final List<String> lines;

        Result(int exit, List<String> lines) {
            this.exit = exit;
            this.lines = lines;
        }

        String all() {
            return String.join("\n", lines);
        }

        String said(String what) {
            return lines.stream()
                    .filter(line -> line.startsWith("> " + what))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(all()));
        }
    }

    private static Result start(Map<String, String> environment, String without, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-cp", classPath(without), Main.class.getName()));
        command.addAll(List.of("--fabric.provider=soft", "--fabric.memory.host.slab-size=16MB"));
        command.add("--logging.level.io.tensorfabric=INFO");
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .put("LD_LIBRARY_PATH", StubCuda.build().getParent().toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        List<String> lines =
                new String(process.getInputStream().readAllBytes()).lines().toList();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return new Result(process.exitValue(), lines);
    }

    private static String classPath(String without) {
        return Arrays.stream(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                        .split(File.pathSeparator))
                .filter(entry -> without.isEmpty()
                        || !Path.of(entry).getFileName().toString().startsWith(without))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void whenThereAreGpusThenAllAreUsedAndTheLogSaysByWhichPath() throws Exception {
        Result result = start(Map.of(), "", "--fabric.landing.memory=auto");

        assertThat(result.exit).as(result.all()).isZero();
        assertThat(result.said("gpus")).contains("cuda:0").contains("cuda:1");
        assertThat(result.said("landing")).endsWith("cuda:0");
        assertThat(result.all()).contains("cuda:0 (Stub GPU (no hardware), 0000:81:00.0) by ");
        assertThat(result.said("health")).contains("UP").contains("cuda:1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "uuid", "short"})
    void whenOneGpuIsVisibleByAnyNameThenItIsTheSame(String how) throws Exception {
        String uuid = stubUuid();
        String visible = switch (how) {
            case "uuid" -> uuid;
            case "short" -> uuid.substring(0, 12);
            default -> how;
        };

        Result result = start(Map.of("CUDA_VISIBLE_DEVICES", visible), "");

        assertThat(result.exit).as(result.all()).isZero();
        assertThat(result.lines.stream().filter(line -> line.startsWith("> pci")))
                .containsExactly("> pci 0000:91:00.0");
    }

    /** That of the stub's second GPU. */
    private static String stubUuid() {
        StubCuda.reset();
        return StubCuda.uuid(1, -1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", ""})
    void whenNoGpuIsVisibleThenHostOnlyAndHealthy(String visible) throws Exception {
        Result result = start(Map.of("CUDA_VISIBLE_DEVICES", visible), "", "--fabric.landing.memory=auto");

        assertThat(result.exit).as(result.all()).isZero();
        assertThat(result.said("gpus")).endsWith("[]");
        assertThat(result.said("landing")).endsWith("host");
        assertThat(result.said("reason")).contains("no GPU is visible");
        assertThat(result.said("health")).contains("UP");
        assertThat(result.lines.stream().filter(line -> line.contains("Host memory only")))
                .hasSize(1);
    }

    @Test
    void whenJCudaIsAbsentThenHostOnlyAndHealthy() throws Exception {
        Result result = start(Map.of(), "jcuda");

        assertThat(result.exit).as(result.all()).isZero();
        assertThat(result.said("reason")).contains("JCuda is not on the class path");
        assertThat(result.said("health")).contains("UP");
    }

    @Test
    void whenNoPathIsDirectThenStagingIsAWarning() throws Exception {
        Result result = start(Map.of("STUB_CUDA", "dmabuf=0,peermem=0"), "", "--fabric.gpu.devices=0");

        assertThat(result.exit).as(result.all()).isZero();
        assertThat(result.said("gpus")).contains("STAGING").doesNotContain("cuda:1");
        assertThat(result.said("warnings"))
                .contains("Transfers of cuda:0 are staged through host memory")
                .contains("dma-buf: ")
                .contains("peer memory: ");
        assertThat(result.said("health")).contains("UP");
    }

    @Test
    void whenDirectIsRequiredAndThereIsNoneThenStartFailsWithReasonsAndAction() throws Exception {
        Result result = start(Map.of("STUB_CUDA", "dmabuf=0,peermem=0"), "", "--fabric.gpu.direct=required");

        assertThat(result.exit).isEqualTo(1);
        assertThat(result.all())
                .contains("APPLICATION FAILED TO START")
                .contains("dma-buf: ")
                .contains("peer memory: ")
                .contains("docs/gpu.md");
    }

    @Test
    void whenDirectIsOffThenStaging() throws Exception {
        assertThat(start(Map.of(), "", "--fabric.gpu.direct=off").said("gpus")).contains("STAGING");
    }

    @Test
    void whenLandingNeedsAGpuAndThereIsNoneThenStartFails() throws Exception {
        Result result = start(Map.of("CUDA_VISIBLE_DEVICES", ""), "", "--fabric.landing.memory=cuda:0");

        assertThat(result.exit).isEqualTo(1);
        assertThat(result.all()).contains("APPLICATION FAILED TO START").contains("fabric.landing.memory");
    }

    @Test
    void whenLandingIsMisspelledThenStartFailsNamingTheProperty() throws Exception {
        Result result = start(Map.of(), "", "--fabric.landing.memory=gpu");

        assertThat(result.exit).isEqualTo(1);
        assertThat(result.all()).contains("fabric.landing.memory").contains("cuda:N");
    }
}

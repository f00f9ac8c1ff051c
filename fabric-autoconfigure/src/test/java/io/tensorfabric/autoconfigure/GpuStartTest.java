package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

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
                say("device " + node.device().decision().explanation());
                node.gpus().memories().forEach(memory -> {
                    say("pci " + memory.device().pciAddress());
                    say("uuid " + memory.device().uuid());
                });
                say("health "
                        + context.getBean("fabricHealthContributor", HealthIndicator.class)
                                .health());
            }
        }

        /** Two cards, where a test wants them. */
        @Bean
        @ConditionalOnProperty("test.cards")
        VerbsProvider cards() {
            return new TwoCards();
        }

        private static void say(String line) {
            System.out.println("> " + line);
        }
    }

    /** Two devices of the software provider, which would be taken in this order. */
    private record TwoCards() implements VerbsProvider {

        @Override
        public String name() {
            return "soft";
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public @Nullable Throwable unavailabilityCause() {
            return null;
        }

        @Override
        public List<VerbsDevice> devices() {
            return Stream.of("far0", "near0")
                    .map(name -> new SoftVerbsProvider(
                                    SoftDeviceOptions.builder().name(name).build())
                            .devices()
                            .get(0))
                    .toList();
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
        command.addAll(List.of(
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath(without),
                Main.class.getName()));
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

    /** A card at another processor than the GPU of the stub, and one below the same host bridge. */
    private static void plantCards(Path sysfs) throws IOException {
        Files.createDirectories(sysfs.resolve("devices/system/node/node0"));
        Files.createDirectories(sysfs.resolve("devices/system/node/node1"));
        Path devices = sysfs.resolve("devices");
        Path gpu = Files.createDirectories(devices.resolve("pci0000:80/0000:80:01.0/0000:81:00.0"));
        Files.writeString(gpu.resolve("vendor"), "0x10de");
        Files.writeString(gpu.resolve("class"), "0x030200");
        Path pci = Files.createDirectories(sysfs.resolve("bus/pci/devices"));
        Files.createSymbolicLink(pci.resolve("0000:81:00.0"), gpu);
        for (String[] card :
                new String[][] {{"far0", "pci0000:00/0000:01:00.0"}, {"near0", "pci0000:80/0000:82:00.0"}}) {
            Path folder =
                    Files.createDirectories(sysfs.resolve("class/infiniband").resolve(card[0]));
            Files.createSymbolicLink(folder.resolve("device"), Files.createDirectories(devices.resolve(card[1])));
        }
    }

    @Test
    void whenThereAreSeveralCardsThenTheNearestToTheGpusIsUsedUnlessOneIsConfigured(@TempDir Path sysfs)
            throws Exception {
        plantCards(sysfs);
        String[] common = {"--test.cards=2", "--fabric.gpu.devices=0", "--fabric.diagnostics.sysfs=" + sysfs};
        Result chosen = start(Map.of(), "", common);
        assertThat(chosen.exit).as(chosen.all()).isZero();
        assertThat(chosen.said("device"))
                .contains("near0: the nearest with an active port: PHB to GPU 0000:81:00.0")
                .contains("not far0 (farther: SYS to GPU 0000:81:00.0)");
        assertThat(chosen.said("warnings")).doesNotContain("sit apart");

        Result configured = start(
                Map.of(),
                "",
                Stream.concat(Stream.of(common), Stream.of("--fabric.device=far0"))
                        .toArray(String[]::new));
        assertThat(configured.said("device")).contains("far0: configured");
        assertThat(configured.said("warnings")).contains("sit apart (SYS)").contains("set fabric.device=near0");
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
        String visible = switch (how) {
            case "uuid" -> stubUuid();
            case "short" -> stubUuid().substring(0, 12);
            default -> how;
        };

        Result result = start(Map.of("CUDA_VISIBLE_DEVICES", visible), "");

        assertThat(result.exit).as(result.all()).isZero();
        assertThat(result.lines.stream().filter(line -> line.startsWith("> pci")))
                .containsExactly("> pci 0000:91:00.0");
    }

    /** That of the stub's second GPU, from a process of its own: in this one the driver would stay for other tests. */
    private static String stubUuid() throws Exception {
        return start(Map.of("CUDA_VISIBLE_DEVICES", "1"), "").said("uuid").substring("> uuid ".length());
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

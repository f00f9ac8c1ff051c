package io.tensorfabric.memory.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.testing.cuda.StubCuda;
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
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes in which parts of CUDA are missing or broken: host memory only, and the same clear error each time. */
class CudaAbsentTest {

    private static final String NATIVE = "libJCudaDriver-12.6.0-linux-x86_64.so";

    @TempDir
    private Path folder;

    /** What the child process runs. */
    static final class Main {

        private Main() {}

        public static void main(String[] arguments) {
            CudaPlatform platform = CudaPlatform.detect();
            say("available " + platform.isAvailable());
            for (int i = 0; i < 2; i++) {
                try {
                    say("device " + platform.device(0).name());
                } catch (GpuUnavailableException e) {
                    say("error " + e.getMessage());
                }
            }
        }

        @SuppressWarnings("SystemOut")
        private static void say(String line) {
            System.out.println(line);
        }
    }

    private static String classPath(String... without) {
        return Arrays.stream(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                        .split(File.pathSeparator))
                .filter(entry -> Arrays.stream(without)
                        .noneMatch(
                                part -> Path.of(entry).getFileName().toString().startsWith(part)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static List<String> run(String classPath, Map<String, String> environment, String... options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath, Main.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        List<String> lines = new String(process.getInputStream().readAllBytes())
                .lines()
                .filter(line -> line.matches("(available|device|error) .*") || line.contains("Error"))
                .toList();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
        assertThat(lines).noneMatch(line -> line.contains("ExceptionInInitializerError"));
        return lines;
    }

    private static void assertHostOnly(List<String> lines, String reason) {
        assertThat(lines).first().isEqualTo("available false");
        assertThat(lines).hasSize(3);
        assertThat(lines.get(1))
                .startsWith("error There is no GPU memory on this node: ")
                .contains(reason);
        assertThat(lines.get(2)).isEqualTo(lines.get(1));
    }

    @Test
    void whenJCudaIsAbsentThenHostOnly() throws Exception {
        assertHostOnly(run(classPath("jcuda"), Map.of()), "JCuda is not on the class path");
    }

    @Test
    void whenDriverIsAbsentThenHostOnly() throws Exception {
        List<String> lines = run(classPath(), Map.of());

        Assumptions.assumeTrue(lines.contains("available false"), "this machine has a GPU");
        assertHostOnly(lines, "libcuda.so.1");
    }

    @Test
    void whenNativePartIsAbsentThenHostOnly() throws Exception {
        assertHostOnly(run(classPath("jcuda-natives"), Map.of()), "jcuda-natives");
    }

    @Test
    void whenNativePartIsBrokenThenHostOnly() throws Exception {
        Path broken = Files.createDirectories(folder.resolve("classes/lib")).resolve(NATIVE);
        Files.writeString(broken, "not a library");
        String classes = folder.resolve("classes") + File.pathSeparator + classPath();

        assertHostOnly(run(classes, Map.of("LD_LIBRARY_PATH", stub())), "JCuda's native part cannot be loaded");
    }

    @Test
    void whenSomebodyElsePutALibraryInTheTemporaryFolderThenItIsNotLoaded() throws Exception {
        Files.writeString(folder.resolve(NATIVE), "planted");

        List<String> lines =
                run(classPath(), Map.of("LD_LIBRARY_PATH", stub()), "-Djava.io.tmpdir=" + folder, "-Xshare:auto");

        assertThat(lines).first().isEqualTo("available true");
        assertThat(lines.get(1)).isEqualTo("device Stub GPU (no hardware)");
        try (var left = Files.list(folder)) {
            assertThat(left.map(path -> path.getFileName().toString()).filter(name -> !name.startsWith("hsperfdata")))
                    .containsExactly(NATIVE);
        }
    }

    @Test
    void whenEnvironmentHidesAllGpusThenReasonQuotesIt() throws Exception {
        assertHostOnly(
                run(classPath(), Map.of("LD_LIBRARY_PATH", stub(), "CUDA_VISIBLE_DEVICES", "7")),
                "CUDA_VISIBLE_DEVICES is '7'");
    }

    private static String stub() {
        return StubCuda.build().getParent().toString();
    }
}

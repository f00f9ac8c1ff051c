package io.tensorfabric.autoconfigure.restart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts in one process, as DevTools and web containers do them. */
class RestartTest {

    private static final int PATIENCE_SECONDS = 180;

    @ParameterizedTest
    @ValueSource(strings = {RestartProbe.ALL, RestartProbe.APPLICATION})
    void whenAnApplicationIsRestartedInOneProcessThenNothingOfItsFormerLivesIsLeft(String names, @TempDir Path folder)
            throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        // Spring's caches are soft: a heap under pressure drops them, and so does this.
                        "-XX:SoftRefLRUPolicyMSPerMB=0",
                        // Spring Boot's logging keeps the environment of the last application.
                        "-Dorg.springframework.boot.logging.LoggingSystem=none",
                        "-Djava.io.tmpdir=" + folder,
                        // Once with the verbs shim, where the build has it, and once with a failure to load it.
                        names.equals(RestartProbe.ALL)
                                ? "-Dtest.shim=ours"
                                : "-Dtensorfabric.native.library=" + folder + "/none.so",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RestartProbe.class.getName(),
                        names)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("ended within %s s", PATIENCE_SECONDS)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(output);
        assertThat(lines).last().as(String.join("\n", lines)).isEqualTo("ok");
    }
}

package io.tensorfabric.autoconfigure.restart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restarts in one process, as DevTools and web containers do them. */
class RestartTest {

    private static final int PATIENCE_SECONDS = 180;

    @Test
    void whenAnApplicationIsRestartedInOneProcessThenNothingOfItsFormerLivesIsLeft(@TempDir Path folder)
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
                        "-cp",
                        System.getProperty("java.class.path"),
                        RestartProbe.class.getName())
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

package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The service's jar lets one service look at the way to another. */
@Timeout(180)
class PreflightIT {

    @TempDir
    private Path folder;

    private record Run(int status, String output) {}

    private static Run check(String... arguments) throws Exception {
        // The same jar, without what a service needs.
        List<String> command = new ArrayList<>(ServiceProcess.command("check"));
        command.subList(command.indexOf("-jar") + 2, command.size()).clear();
        command.addAll(List.of("check", "preflight"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), output);
    }

    @Test
    void whenThePeerWorksThenTheLadderIsPrintedAndWhenItDiesThenTheFailedStepIs() throws Exception {
        try (TwoServices services = TwoServices.start(folder)) {
            String management = "--management=" + services.a().url();
            Run works = check(management, "--peer=b");
            assertThat(works.status()).as(works.output()).isZero();
            assertThat(works.output())
                    .contains("preflight from a (", "across the MTU", "8 at once", "check preflight ok");
            // It reached the peer's fabric, and not the listener that stores what comes.
            assertThat(services.b().text("/actuator/fabric/transfers")).contains("fabric.preflight/");
            assertThat(services.b().text("/api/files")).doesNotContain("preflight");

            services.b().kill();
            Run broken = check(management, "--peer=b");
            assertThat(broken.status()).as(broken.output()).isEqualTo(1);
            assertThat(broken.output()).contains("fail", "check failed: ", "preflight fail in ");
        }
    }
}

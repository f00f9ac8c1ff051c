package io.tensorfabric.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alerts, by Prometheus' own tool. */
class AlertsTest {

    private static final Path UNPACKED = Path.of("..", ".dev", "promtool", "usr", "bin", "promtool");

    private static final Path CASES = Path.of("src", "test", "resources", "promtool", "alerts.yaml");

    @TempDir
    private Path folder;

    private JsonNode spec;

    @BeforeEach
    void render() throws IOException {
        spec = Chart.only(Chart.feature("rules-and-dashboard"), "PrometheusRule")
                .at("/spec");
        Chart.YAML.writeValue(folder.resolve("rules.yaml").toFile(), spec);
        Files.copy(CASES, folder.resolve("alerts.yaml"), StandardCopyOption.REPLACE_EXISTING);
    }

    private static @Nullable String promtool() {
        if (Files.isExecutable(UNPACKED)) {
            return UNPACKED.toAbsolutePath().toString();
        }
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(entry -> Path.of(entry, "promtool"))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse(null);
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        String tool = promtool();
        assumeTrue(tool != null, "no promtool: ./dev chart unpacks one where there is apt-get");
        Process process = new ProcessBuilder(
                        Stream.concat(Stream.of(tool), Stream.of(arguments)).toList())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    @Test
    void whenCheckedThenPrometheusTakesTheRules() throws IOException, InterruptedException {
        assertThat(run("check", "rules", "rules.yaml")).contains("SUCCESS: " + alerts().size() + " rules found");
    }

    @Test
    void whenSeriesTellOfTroubleThenExactlyTheRightAlertsFire() throws IOException, InterruptedException {
        assertThat(run("test", "rules", "alerts.yaml")).contains("SUCCESS");
    }

    @Test
    void whenThereIsAnAlertThenACaseMakesItFireAndAnotherDoesNot() throws IOException {
        JsonNode cases = Chart.YAML.readTree(CASES.toFile());
        for (String alert : alerts()) {
            int firing = 0;
            int quiet = 0;
            for (JsonNode test : cases.get("tests")) {
                for (JsonNode expected : test.path("alert_rule_test")) {
                    if (expected.path("alertname").asText().equals(alert)) {
                        firing += expected.has("exp_alerts") ? 1 : 0;
                        quiet += expected.has("exp_alerts") ? 0 : 1;
                    }
                }
            }
            assertThat(firing).as(alert + " fires").isPositive();
            assertThat(quiet).as(alert + " keeps quiet").isPositive();
        }
    }

    private Set<String> alerts() {
        Set<String> alerts = new HashSet<>();
        spec.at("/groups/0/rules").forEach(rule -> alerts.add(rule.get("alert").asText()));
        return alerts;
    }
}

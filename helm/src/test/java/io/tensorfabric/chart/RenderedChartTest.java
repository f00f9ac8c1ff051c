package io.tensorfabric.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every file with values. */
class RenderedChartTest {

    /** Read by ./dev chart. */
    private static final Path SUMMARY = Path.of("target", "chart-summary");

    private static int files;

    private static int manifests;

    @TempDir
    private Path folder;

    /** The chart's own values, then those of each feature. */
    static Stream<Path> valueFiles() {
        return Stream.concat(Stream.of(Chart.FOLDER.resolve("values.yaml")), Chart.valueFiles().stream());
    }

    @AfterAll
    static void writeSummary() throws IOException {
        if (files == valueFiles().count()) {
            Files.writeString(SUMMARY, files + " value files, " + manifests + " manifests\n");
        }
    }

    @ParameterizedTest
    @MethodSource("valueFiles")
    void whenRenderedThenEveryObjectIsOneThatAClusterTakes(Path values) throws IOException {
        List<Manifest> rendered = Chart.render(values);
        List<String> faults = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Manifest manifest : rendered) {
            faults.addAll(ManifestSchemas.faults(manifest));
            assertThat(names.add(manifest.toString())).as("one " + manifest).isTrue();
            assertThat(manifest.name()).matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
        }
        assertThat(faults).isEmpty();
        files++;
        manifests += rendered.size();
    }

    @ParameterizedTest
    @MethodSource("valueFiles")
    void whenLintedThenHelmHasNothingToSay(Path values) throws IOException {
        LintResult result = Chart.lint(values, folder);
        assertThat(result.isFailed())
                .as(String.join("\n", result.getMessages()))
                .isFalse();
        assertThat(result.getMessages())
                .noneMatch(message -> message.contains("[WARNING]") || message.contains("[ERROR]"));
    }

    /** Case S04. */
    @ParameterizedTest
    @MethodSource("valueFiles")
    void whenRenderedThenNoNumberTurnsIntoAFloatingPointOne(Path values) throws IOException {
        for (Manifest manifest : Chart.render(values)) {
            if (!manifest.kind().equals("Secret")) {
                assertThat(manifest.text()).doesNotContainPattern("[0-9]e\\+[0-9]");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("valueFiles")
    void whenRenderedThenEveryObjectOfTheChartIsLabelledAndInItsNamespace(Path values) throws IOException {
        for (Manifest manifest : Chart.render(values)) {
            if (!manifest.name().endsWith("-extra") && !manifest.kind().equals("NetworkAttachmentDefinition")) {
                assertThat(manifest.at("/metadata/namespace").asText()).isEqualTo(Chart.NAMESPACE);
                assertThat(manifest.object()
                                .at("/metadata/labels")
                                .path("app.kubernetes.io/instance")
                                .asText())
                        .isEqualTo(Chart.RELEASE);
            }
        }
    }

    @Test
    void whenRenderedForOldAndNewClustersThenBothTakeIt() throws IOException {
        for (String version : List.of("1.27.0", "1.34.1")) {
            List<Manifest> rendered = Chart.render(null, version);
            assertThat(rendered)
                    .allSatisfy(manifest ->
                            assertThat(ManifestSchemas.faults(manifest)).isEmpty());
            assertThat(Chart.only(rendered, "StatefulSet")
                            .at("/spec/template/spec/containers/0/lifecycle")
                            .isMissingNode())
                    .isEqualTo(version.startsWith("1.27"));
        }
    }

    @Test
    void whenAFeatureIsNamedInTheValuesThenAFileTriesIt() throws IOException {
        Set<String> tried = new HashSet<>();
        for (Path file : Chart.valueFiles()) {
            Chart.YAML.readTree(file.toFile()).fieldNames().forEachRemaining(tried::add);
        }
        List<String> untried = new ArrayList<>();
        Chart.YAML
                .readTree(Chart.FOLDER.resolve("values.yaml").toFile())
                .fieldNames()
                .forEachRemaining(key -> {
                    if (!tried.contains(key)) {
                        untried.add(key);
                    }
                });
        assertThat(untried).as("values that no file in ci sets").isEmpty();
    }
}

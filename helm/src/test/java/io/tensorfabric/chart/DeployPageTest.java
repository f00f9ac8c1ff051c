package io.tensorfabric.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/deploy.md says is what the chart does. {@code DeployedChartIT} runs its commands. */
class DeployPageTest {

    private static final Pattern TEST = Pattern.compile("`([a-z]+)` \\(");

    private static final Pattern VALUE = Pattern.compile("`([a-z][A-Za-z]*(?:\\.[A-Za-z]+)+)(?:=[^`]*)?`");

    @Test
    void whenTheThreeValuesOfThePageAreSetThenPodsGetImageCardAndNetwork() throws IOException {
        String install = DeployPage.commands("helm install");
        assertThat(install).contains("helm install " + Chart.RELEASE + " ", "--namespace " + Chart.NAMESPACE + " ");
        assertThat(DeployPage.values().keySet())
                .containsExactlyInAnyOrder("image.repository", "image.tag", "rdma.resourceName", "network.annotation");

        List<Manifest> rendered = Chart.render(DeployPage.values());

        assertThat(rendered)
                .allSatisfy(
                        manifest -> assertThat(ManifestSchemas.faults(manifest)).isEmpty());
        Manifest set = Chart.only(rendered, "StatefulSet");
        JsonNode container = set.at("/spec/template/spec/containers/0");
        assertThat(container.path("image").asText()).isEqualTo("registry.example.org/tensor-service:0.1.0");
        assertThat(DeployPage.commands("./dev image"))
                .contains("--tag " + container.path("image").asText());
        assertThat(container
                        .at("/resources/limits")
                        .path("rdma/rdma_shared_device_a")
                        .asText())
                .isEqualTo("1");
        assertThat(set.at("/spec/template/metadata/annotations")
                        .path("k8s.v1.cni.cncf.io/networks")
                        .asText())
                .isEqualTo("roce-net");
        assertThat(DeployPage.commands("helm -n")).contains("statefulset/" + set.name() + "\n");
    }

    @Test
    void whenThePageListsTestsThenTheyAreThoseOfTheChartInTheirOrder() throws IOException {
        String list = DeployPage.text()
                .lines()
                .dropWhile(line -> !line.contains("tests run, each a pod"))
                .takeWhile(line -> !line.startsWith("```"))
                .reduce("", (text, line) -> text + line + "\n");
        List<String> told =
                TEST.matcher(list).results().map(result -> result.group(1)).toList();
        List<String> made = Chart.render(DeployPage.values()).stream()
                .filter(manifest -> manifest.kind().equals("Pod"))
                .map(manifest -> manifest.name().replaceFirst(".*-test-", ""))
                .toList();
        assertThat(told).isEqualTo(made);
    }

    @Test
    void whenThePageNamesAValueThenTheChartHasIt() throws IOException {
        JsonNode values =
                Chart.YAML.readTree(Chart.FOLDER.resolve("values.yaml").toFile());
        Matcher named = VALUE.matcher(DeployPage.text());
        int found = 0;
        while (named.find()) {
            String pointer = "/" + named.group(1).replace('.', '/');
            if (values.has(named.group(1).substring(0, named.group(1).indexOf('.')))) {
                assertThat(values.at(pointer).isMissingNode())
                        .as(named.group(1))
                        .isFalse();
                found++;
            }
        }
        assertThat(found).isGreaterThan(25);
    }
}

package io.tensorfabric.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that make no sense stop Helm, and are named. */
class RefusedValuesTest {

    /** Not of a list's entries. */
    private static final Pattern VALUE = Pattern.compile(" *[A-Za-z]+: *(.*)");

    @TempDir
    private Path folder;

    private Path file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("values.yaml"), yaml);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "replica: 2 | replica",
                "rdma: {resource: rdma/x} | resource",
                "ports: {rest: \"8443\"} | ports",
                "ports: {rest: 80} | ports",
                "ports: {rest: -1} | ports",
                "ports: {rest: 8443, management: 8443, data: 1234} | must differ",
                "replicas: -1 | replicas",
                "replicas: 1.5 | replicas",
                "replicas: \"2\" | replicas",
                "image: {repository: \"\"} | repository",
                "image: {tag: 1.10} | tag",
                "image: {digest: abc} | digest",
                "image: {pullPolicy: Sometimes} | pullPolicy",
                "rdma: {resourceName: \"\"} | resourceName",
                "rdma: {resourceName: mlx5} | resourceName",
                "rdma: {count: 0} | count",
                "rdma: {trafficClass: 256} | trafficClass",
                "rdma: {gidIndex: -1} | gidIndex",
                "network: {hostNetwork: true, annotation: roce} | annotation",
                "memlock: {mode: ulimit} | mode",
                "securityContext: {runAsUser: 1000} | runAsUser",
                "{memlock: {mode: nodeLimit}, securityContext: {runAsUser: 0}} | runAsUser",
                "{gpu: {enabled: true, resourceName: rdma/x}, rdma: {resourceName: rdma/x}} | same resource",
                "gpu: {direct: required} | gpu",
                "gpu: {landing: gpu0} | landing",
                "hugepages: {size: 4Mi} | size",
                "hugepages: {size: 1Gi, amount: 512Mi} | amount",
                "resources: {cpu: 1.5} | cpu",
                "resources: {cpu: 500m} | cpu",
                "resources: {memory: 8} | memory",
                "resources: {limits: {cpu: 4}} | limits",
                "jvm: {heap: lots} | heap",
                "jvm: {options: [\"-XX:+UseZGC -Xmx4g\"]} | options",
                "memory: {poolSize: 4Gi} | poolSize",
                "memory: {poolSize: -1} | poolSize",
                "auth: {key: \"\"} | key",
                "tls: {mode: plain} | mode",
                "tls: {mode: off} | mode",
                "tls: {mode: existingSecret} | existingSecret",
                "tls: {existingSecret: mine} | existingSecret",
                "tls: {mode: certManager} | name",
                "tls: {certManager: {duration: 90d}} | duration",
                "probes: {liveness: {periodSeconds: 0, timeoutSeconds: 1, failureThreshold: 1}} | periodSeconds",
                "shutdown: {phaseSeconds: 0} | phaseSeconds",
                "podDisruptionBudget: {minAvailable: 1} | podDisruptionBudget",
                "podDisruptionBudget: {maxUnavailable: null} | needs maxUnavailable",
                "podDisruptionBudget: {maxUnavailable: 101%} | maxUnavailable",
                "topologySpread: [{topologyKey: a}] | maxSkew",
                "monitoring: {monitor: Prometheus} | monitor",
                "monitoring: {rules: {poolUsed: 90}} | poolUsed",
                "monitoring: {interval: 15} | interval",
                "podLabels: {version: 1.10} | version",
                "discovery: {peers: [{name: a}]} | url",
                "extraEnv: {A: b} | extraEnv",
            })
    void whenAValueMakesNoSenseThenItIsRefusedByName(String yaml, String named) throws IOException {
        Path values = file(yaml.strip());
        assertThatThrownBy(() -> Chart.text(values, Chart.KUBE_VERSION)).hasMessageContaining(named);
    }

    @Test
    void whenAnObjectOfTheSchemaNamesItsValuesThenItTakesNoOthers() throws IOException {
        JsonNode schema =
                Chart.YAML.readTree(Chart.FOLDER.resolve("values.schema.json").toFile());
        assertClosed("", schema);
    }

    private static void assertClosed(String path, JsonNode schema) {
        if (schema.path("type").asText().equals("object") && schema.has("properties")) {
            assertThat(schema.path("additionalProperties").isBoolean()
                            && !schema.path("additionalProperties").asBoolean())
                    .as(path)
                    .isTrue();
        }
        schema.properties().forEach(entry -> assertClosed(path + "/" + entry.getKey(), entry.getValue()));
    }

    /** A comment describes the values below it, up to the next empty line or the next group. */
    @Test
    void whenAValueExistsThenACommentDescribesIt() throws IOException {
        List<String> silent = new ArrayList<>();
        boolean described = false;
        int values = 0;
        for (String line : Files.readAllLines(Chart.FOLDER.resolve("values.yaml"))) {
            Matcher value = VALUE.matcher(line);
            if (line.strip().startsWith("# --")) {
                described = true;
            } else if (line.isBlank()) {
                described = false;
            } else if (value.matches()) {
                boolean group = value.group(1).isEmpty();
                values += group ? 0 : 1;
                if (!group && !described) {
                    silent.add(line);
                }
                described &= !group;
            }
        }
        assertThat(values).isGreaterThan(90);
        assertThat(silent).as("values without a comment").isEmpty();
    }

    @Test
    void whenAValueExistsThenTheSchemaKnowsIt() throws IOException {
        JsonNode schema =
                Chart.YAML.readTree(Chart.FOLDER.resolve("values.schema.json").toFile());
        JsonNode values =
                Chart.YAML.readTree(Chart.FOLDER.resolve("values.yaml").toFile());
        values.properties().forEach(entry -> assertKnown(entry.getKey(), entry.getValue(), schema.get("properties")));
        schema.get("properties")
                .fieldNames()
                .forEachRemaining(name -> assertThat(name.equals("global") || values.has(name))
                        .as("the schema knows " + name + ", values.yaml does not")
                        .isTrue());
    }

    private static void assertKnown(String name, JsonNode value, JsonNode properties) {
        assertThat(properties.has(name)).as("the schema knows " + name).isTrue();
        JsonNode inner = properties.get(name).path("properties");
        if (value.isObject() && inner.isObject()) {
            value.properties().forEach(entry -> assertKnown(entry.getKey(), entry.getValue(), inner));
        }
    }
}

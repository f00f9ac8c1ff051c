package io.tensorfabric.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the features of the chart come to. */
class ChartFeaturesTest {

    private static final String POD = "/spec/template/spec";

    private static final String CONTAINER = POD + "/containers/0";

    @AfterEach
    void forgetSecrets() {
        FakeCluster.clear();
    }

    private static Manifest statefulSet(String feature) throws IOException {
        return Chart.only(Chart.feature(feature), "StatefulSet");
    }

    private static JsonNode config(List<Manifest> manifests, String key) throws IOException {
        return Chart.parse(Chart.named(manifests, "ConfigMap", Chart.FULL_NAME + "-config")
                .object()
                .path("data")
                .path(key)
                .asText());
    }

    private static JsonNode limits(Manifest set) {
        return set.at(CONTAINER + "/resources/limits");
    }

    @Test
    void whenThreeValuesAreSetThenPodsGetTheCardItsNetworkAndMayLockMemory() throws IOException {
        Manifest set = statefulSet("minimal");
        assertThat(set.at(CONTAINER + "/image").asText())
                .isEqualTo("registry.example.org/tensor-service:0.1.0-SNAPSHOT");
        assertThat(limits(set).path("rdma/hca_shared_devices_a").asText()).isEqualTo("1");
        assertThat(set.at("/spec/template/metadata/annotations")
                        .path("k8s.v1.cni.cncf.io/networks")
                        .asText())
                .isEqualTo("roce-net");
        assertThat(set.at(CONTAINER + "/securityContext/capabilities").toString())
                .isEqualTo("{\"drop\":[\"ALL\"],\"add\":[\"IPC_LOCK\"]}");
        assertThat(set.at(POD + "/securityContext/runAsUser").asInt()).isZero();
        JsonNode config = config(Chart.feature("minimal"), "application.yaml");
        assertThat(config.at("/fabric/provider").asText()).isEqualTo("verbs");
        assertThat(config.at("/server/ssl/bundle").asText()).isEqualTo("fabric");
        assertThat(config.at("/fabric/security/allow-plaintext").isMissingNode())
                .isTrue();
        assertThat(config.at("/fabric/discovery/dns/0/service").asText())
                .isEqualTo("demo-tensor-service-peers.fabric.svc");
    }

    @Test
    void whenPodsAreMadeThenTheyAreGuaranteedWithWholeProcessors() throws IOException {
        for (java.nio.file.Path file : Chart.valueFiles()) {
            Manifest set = Chart.only(Chart.render(file), "StatefulSet");
            assertThat(set.at(CONTAINER + "/resources/requests")).isEqualTo(limits(set));
            assertThat(limits(set).path("cpu").asText()).matches("[0-9]+");
            assertThat(limits(set).path("memory").asText()).isNotEmpty();
        }
    }

    @Test
    void whenPodsAreMadeThenTheyCanWriteNowhereButToTheirTemporaryFolder() throws IOException {
        for (java.nio.file.Path file : Chart.valueFiles()) {
            Manifest set = Chart.only(Chart.render(file), "StatefulSet");
            JsonNode security = set.at(CONTAINER + "/securityContext");
            assertThat(security.path("readOnlyRootFilesystem").asBoolean()).isTrue();
            assertThat(security.path("allowPrivilegeEscalation").asBoolean(true))
                    .isFalse();
            List<String> writable = new ArrayList<>();
            set.at(CONTAINER + "/volumeMounts").forEach(mount -> {
                if (!mount.path("readOnly").asBoolean()) {
                    writable.add(mount.path("mountPath").asText());
                }
            });
            assertThat(writable).contains("/tmp").isSubsetOf("/tmp", "/dev/hugepages");
        }
    }

    @Test
    void whenNodesAllowLockingThenPodsRunAsAnOrdinaryUserWithoutCapabilities() throws IOException {
        Manifest set = statefulSet("memlock-node-limit");
        assertThat(set.at(POD + "/securityContext").toString())
                .contains("\"runAsUser\":1000", "\"runAsNonRoot\":true", "\"supplementalGroups\":[107]");
        assertThat(set.at(CONTAINER + "/securityContext/capabilities").has("add"))
                .isFalse();
    }

    @Test
    void whenThereIsNoRdmaThenTheSoftwareDeviceIsReachableAndNoResourceIsAskedFor() throws IOException {
        List<Manifest> rendered = Chart.feature("software-device");
        JsonNode config = config(rendered, "application.yaml");
        assertThat(config.at("/fabric/provider").asText()).isEqualTo("soft");
        assertThat(config.at("/fabric/soft/advertised-address").asText()).isEqualTo("${POD_IP}");
        assertThat(config.at("/fabric/soft/port").asInt()).isEqualTo(7471);
        assertThat(limits(Chart.only(rendered, "StatefulSet")).toString()).doesNotContain("rdma");
        assertThat(Chart.named(rendered, "Service", Chart.FULL_NAME + "-peers")
                        .at("/spec/ports/2/name")
                        .asText())
                .isEqualTo("data");
    }

    @Test
    void whenTheNodesNetworkIsUsedThenNamesOfTheClusterStillResolve() throws IOException {
        Manifest set = statefulSet("host-network");
        assertThat(set.at(POD + "/hostNetwork").asBoolean()).isTrue();
        assertThat(set.at(POD + "/dnsPolicy").asText()).isEqualTo("ClusterFirstWithHostNet");
    }

    @Test
    void whenPodsHaveGpusThenTheFabricUsesThem() throws IOException {
        Manifest set = statefulSet("gpu");
        assertThat(limits(set).path("nvidia.com/gpu").asText()).isEqualTo("2");
        JsonNode fabric = config(Chart.feature("gpu"), "application.yaml").path("fabric");
        assertThat(fabric.at("/gpu/direct").asText()).isEqualTo("required");
        assertThat(fabric.at("/landing/memory").asText()).isEqualTo("cuda:1");
        assertThat(fabric.at("/memory/gpu/max-size").asText()).isEqualTo("16GB");
        JsonNode without = config(Chart.feature("minimal"), "application.yaml").path("fabric");
        assertThat(without.at("/gpu/enabled").asBoolean(true)).isFalse();
    }

    @Test
    void whenHugePagesAreAskedForThenTheyAreMountedAndTheHeapTakesThem() throws IOException {
        Manifest set = statefulSet("hugepages");
        assertThat(limits(set).path("hugepages-1Gi").asText()).isEqualTo("4Gi");
        assertThat(set.at(POD + "/volumes").toString()).contains("HugePages-1Gi");
        assertThat(set.at(CONTAINER + "/env").toString()).contains("-XX:+UseLargePages", "-XX:+UseZGC");
    }

    /** Case S04. */
    @Test
    void whenNumbersAreLargeThenTheyArriveAsTheyWereWritten() throws IOException {
        List<Manifest> rendered = Chart.feature("large-numbers");
        JsonNode memory = config(rendered, "application.yaml").at("/fabric/memory/host");
        assertThat(memory.path("max-size").longValue()).isEqualTo(8589934592L);
        assertThat(memory.path("slab-size").longValue()).isEqualTo(67108864L);
        JsonNode custom = config(rendered, "custom.yaml");
        assertThat(custom.at("/fabric/transfer/max-tensor-size").toString()).isEqualTo("68719476736");
        assertThat(custom.at("/fabric/transfer/dedupe-window").toString()).isEqualTo("1000000");
        assertThat(custom.at("/fabric/resilience/retry/jitter").toString()).isEqualTo("0.25");
        assertThat(custom.at("/tensor-service/store/max-tensors").toString()).isEqualTo("1234567");
        Manifest set = Chart.only(rendered, "StatefulSet");
        assertThat(set.at(CONTAINER + "/image").asText()).endsWith(":1.10");
        assertThat(set.at("/metadata/labels/mode").asText()).isEqualTo("0755");
    }

    @Test
    void whenThereAreNoReplicasThenNothingIsTested() throws IOException {
        List<Manifest> rendered = Chart.feature("zero-replicas");
        assertThat(Chart.only(rendered, "StatefulSet").at("/spec/replicas").asInt(-1))
                .isZero();
        assertThat(rendered).noneMatch(manifest -> manifest.kind().equals("Pod"));
        assertThat(Chart.feature("one-replica").stream()
                        .filter(manifest -> manifest.kind().equals("Pod"))
                        .map(Manifest::name))
                .containsExactly(Chart.FULL_NAME + "-test-actuator");
    }

    @Test
    void whenPodsAreProbedThenOnTheManagementPortInBootsGroups() throws IOException {
        Manifest set = statefulSet("probes-and-shutdown");
        for (String probe : List.of("startup", "liveness", "readiness")) {
            assertThat(set.at(CONTAINER + "/" + probe + "Probe/httpGet/port").asText())
                    .isEqualTo("management");
        }
        assertThat(set.at(CONTAINER + "/livenessProbe/httpGet/path").asText()).endsWith("/health/liveness");
        assertThat(set.at(CONTAINER + "/readinessProbe/httpGet/path").asText()).endsWith("/health/readiness");
        assertThat(set.at(CONTAINER + "/startupProbe/failureThreshold").asInt()).isEqualTo(301);
    }

    @Test
    void whenPodsEndThenKubernetesWaitsLongerThanTheServiceNeeds() throws IOException {
        Manifest set = statefulSet("probes-and-shutdown");
        JsonNode config = config(Chart.feature("probes-and-shutdown"), "application.yaml");
        assertThat(config.at("/spring/lifecycle/timeout-per-shutdown-phase").asText())
                .isEqualTo("60s");
        assertThat(set.at(POD + "/terminationGracePeriodSeconds").asInt()).isEqualTo(10 + 4 * 60 + 10);
        assertThat(set.at(CONTAINER + "/lifecycle/preStop/sleep/seconds").asInt())
                .isEqualTo(10);
    }

    @Test
    void whenSecretsExistThenAnUpgradeKeepsThem() throws IOException {
        String kept = Base64.getEncoder().encodeToString("kept-through-upgrades".getBytes(StandardCharsets.UTF_8));
        FakeCluster.setSecret(Chart.FULL_NAME + "-auth", Map.of("shared-secret", kept));
        FakeCluster.setSecret(Chart.FULL_NAME + "-tls", Map.of("ca.crt", "YQ==", "tls.crt", "Yg==", "tls.key", "Yw=="));
        List<Manifest> rendered = Chart.render(null, Chart.KUBE_VERSION);
        assertThat(Chart.named(rendered, "Secret", Chart.FULL_NAME + "-auth")
                        .at("/data/shared-secret")
                        .asText())
                .isEqualTo(kept);
        assertThat(Chart.named(rendered, "Secret", Chart.FULL_NAME + "-tls")
                        .object()
                        .path("data")
                        .path("tls.key")
                        .asText())
                .isEqualTo("Yw==");
    }

    @Test
    void whenCertificatesComeFromElsewhereThenTheChartMakesNoneAndMountsThose() throws IOException {
        List<Manifest> existing = Chart.feature("tls-existing-secret");
        assertThat(existing).noneMatch(manifest -> manifest.kind().equals("Secret"));
        assertThat(Chart.only(existing, "StatefulSet").at(POD + "/volumes").toString())
                .contains("\"fabric-certificate\"", "\"fabric-secret\"", "\"token\"");
        Manifest certificate = Chart.only(Chart.feature("tls-cert-manager"), "Certificate");
        assertThat(certificate.at("/spec/secretName").asText()).isEqualTo(Chart.FULL_NAME + "-tls");
        assertThat(certificate.at("/spec/dnsNames").toString())
                .contains("*.demo-tensor-service-peers.fabric.svc.cluster.local", "fabric.example.org");
    }

    @Test
    void whenTlsIsOffThenPlaintextIsAllowedAndTheNotesWarn() throws IOException {
        JsonNode config = config(Chart.feature("tls-off"), "application.yaml");
        assertThat(config.at("/fabric/security/allow-plaintext").asBoolean()).isTrue();
        assertThat(config.at("/server").has("ssl")).isFalse();
        assertThat(config.at("/fabric/discovery/dns/0/port-name").asText()).isEqualTo("http");
        assertThat(Chart.notes("tls-off"))
                .contains("WARNING: without TLS", "http://demo-tensor-service.fabric.svc:18080");
    }

    @Test
    void whenInstalledThenTheNotesSayHowToSeeItWorkAndWhatThisReleaseNeeds() throws IOException {
        String minimal = Chart.notes("minimal");
        assertThat(minimal)
                .contains(
                        "2 nodes of Tensor Fabric, which find each other as demo-tensor-service-0",
                        "kubectl -n fabric rollout status statefulset/demo-tensor-service",
                        "helm -n fabric test demo --logs",
                        "port-forward demo-tensor-service-0 8081 8443",
                        "https://demo-tensor-service.fabric.svc:8443/api/files")
                .doesNotContain("WARNING", "neither a secondary network", "memlock.mode", "rdma.enabled");
        assertThat(Chart.notes("infiniband")).contains("neither a secondary network");
        assertThat(Chart.notes("memlock-node-limit")).contains("LimitMEMLOCK=infinity");
        assertThat(Chart.notes("software-device")).contains("rdma.enabled is false");
        assertThat(Chart.notes("names")).contains("statefulset/ranker-fabric");
    }

    @Test
    void whenPodsOfTestsAreMadeThenNoServiceSendsThemTraffic() throws IOException {
        List<Manifest> rendered = Chart.feature("minimal");
        JsonNode selector =
                Chart.named(rendered, "Service", Chart.FULL_NAME + "-peers").at("/spec/selector");
        List<Manifest> tests = rendered.stream()
                .filter(manifest -> manifest.kind().equals("Pod"))
                .toList();
        assertThat(tests)
                .extracting(Manifest::name)
                .containsExactly(
                        Chart.FULL_NAME + "-test-actuator",
                        Chart.FULL_NAME + "-test-preflight",
                        Chart.FULL_NAME + "-test-handshake",
                        Chart.FULL_NAME + "-test-push");
        assertThat(tests).allSatisfy(test -> {
            assertThat(test.at("/metadata/annotations").path(Chart.HOOK).asText())
                    .isEqualTo("test");
            assertThat(selector.properties())
                    .anyMatch(entry ->
                            !entry.getValue().equals(test.at("/metadata/labels").get(entry.getKey())));
            assertThat(test.at("/spec/securityContext/runAsNonRoot").asBoolean())
                    .isTrue();
        });
    }

    @Test
    void whenMonitorsSelectThenWhatTheySelectExists() throws IOException {
        List<Manifest> rendered = Chart.feature("service-monitor");
        JsonNode wanted = Chart.only(rendered, "ServiceMonitor").at("/spec/selector/matchLabels");
        JsonNode labels =
                Chart.named(rendered, "Service", Chart.FULL_NAME + "-peers").at("/metadata/labels");
        assertThat(wanted.properties())
                .isNotEmpty()
                .allMatch(entry -> entry.getValue().equals(labels.get(entry.getKey())));
        JsonNode pods = statefulSet("pod-monitor").at("/spec/template/metadata/labels");
        assertThat(Chart.only(Chart.feature("pod-monitor"), "PodMonitor")
                        .at("/spec/selector/matchLabels")
                        .properties())
                .isNotEmpty()
                .allMatch(entry -> entry.getValue().equals(pods.get(entry.getKey())));
    }

    @Test
    void whenThereIsANetworkPolicyThenPodsTalkToEachOtherAndClientsToTheApiOnly() throws IOException {
        JsonNode ingress =
                Chart.only(Chart.feature("network-policy"), "NetworkPolicy").at("/spec/ingress");
        assertThat(ingress.at("/0/ports").toString()).contains("rest", "management", "data");
        assertThat(ingress.at("/1").toString()).contains("feeder", "rest").doesNotContain("management");
        assertThat(ingress.at("/2").toString())
                .contains("monitoring", "management")
                .doesNotContain("rest");
    }
}

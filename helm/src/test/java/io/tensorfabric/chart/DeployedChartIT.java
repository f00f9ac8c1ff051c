package io.tensorfabric.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tensorfabric.testing.DnsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real service with what the chart hands to it: two pods that find each other in the DNS and trust the chart's
 * certificates, probed, tested and scraped as the chart says. In order, because one start of two pods serves all.
 */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DeployedChartIT {

    private static final String[] ADDRESSES = {"127.0.0.1", "127.0.0.2"};

    private static final List<DeployedPod> pods = new ArrayList<>();

    @TempDir
    private static Path folder;

    private static DnsServer dns;

    private static Path values;

    private static Path hosts;

    private static List<Manifest> rendered;

    private static int rest;

    private static String exportedByReceiver = "";

    @BeforeAll
    static void deploy() throws Exception {
        rest = freePort();
        values = Files.writeString(folder.resolve("values.yaml"), """
                rdma: {enabled: false}
                ports: {rest: %d, management: %d, data: %d}
                jvm: {heap: 256m}
                memory: {poolSize: 268435456, slabSize: 64MB, zoneSize: 16MB}
                config: {tensor-service: {store: {max-tensors: 1234567, max-size: 100MB}}}
                discovery: {refreshInterval: 1s}
                monitoring:
                  monitor: PodMonitor
                  rules: {enabled: true}
                  dashboard: {enabled: true}
                """.formatted(rest, freePort(), freePort()));
        rendered = Chart.render(values, Chart.KUBE_VERSION);
        String peers = Chart.FULL_NAME + "-peers." + Chart.NAMESPACE + ".svc";
        StringBuilder lines = new StringBuilder("127.0.0.1 localhost\n");
        String[] targets = new String[ADDRESSES.length];
        for (int i = 0; i < ADDRESSES.length; i++) {
            String name = Chart.FULL_NAME + "-" + i + "." + peers;
            lines.append(ADDRESSES[i]).append(' ').append(name).append('\n');
            targets[i] = name + ":" + rest;
        }
        hosts = Files.writeString(folder.resolve("hosts"), lines);
        dns = new DnsServer();
        dns.setServices("_https._tcp." + peers, targets);
        List<CompletableFuture<DeployedPod>> starting = new ArrayList<>();
        for (int i = 0; i < ADDRESSES.length; i++) {
            int number = i;
            starting.add(CompletableFuture.supplyAsync(() -> pod(number)));
        }
        starting.forEach(pod -> pods.add(pod.join()));
    }

    private static DeployedPod pod(int number) {
        try {
            return new DeployedPod(
                    rendered,
                    folder,
                    number,
                    ADDRESSES[number],
                    "-Djdk.net.hosts.file=" + hosts,
                    "--fabric.discovery.dns-server=" + dns.address(),
                    "--fabric.diagnostics.sysfs=" + countingPort());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Counters of a card, where those of the software device would be if it had any. */
    private static Path countingPort() throws IOException {
        Path port = folder.resolve("sys/class/infiniband/soft0/ports/1");
        for (String file : List.of(
                "counters/port_rcv_data",
                "counters/port_xmit_data",
                "counters/symbol_error",
                "hw_counters/np_cnp_sent")) {
            Path counter = port.resolve(file);
            Files.createDirectories(counter.getParent());
            Files.writeString(counter, "5\n");
        }
        return folder.resolve("sys");
    }

    /** Free at both addresses, most likely still so in a moment. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
            return socket.getLocalPort();
        }
    }

    @AfterAll
    static void remove() {
        pods.forEach(DeployedPod::close);
        dns.close();
    }

    private static List<Manifest> testPods() {
        return rendered.stream()
                .filter(manifest -> manifest.kind().equals("Pod"))
                .toList();
    }

    private static Manifest testPod(String test) {
        return Chart.named(rendered, "Pod", Chart.FULL_NAME + "-test-" + test);
    }

    @Test
    @Order(1)
    void whenHelmTestsThenPodsAreReadyShakeHandsAndPushAByte() throws Exception {
        StringBuilder output = new StringBuilder();
        for (Manifest test : testPods()) {
            output.append(pods.get(0).passTest(test, hosts));
        }
        assertThat(output)
                .contains("check actuator ok", "check preflight ok", "check handshake ok", "check push ok")
                .contains("preflight from demo-tensor-service-0 (soft0) to demo-tensor-service-1", "across the MTU")
                .contains("node demo-tensor-service-0 runs on soft")
                .contains("one byte arrived at demo-tensor-service-1 from demo-tensor-service-0");
    }

    @Test
    @Order(2)
    void whenProbesAskThenTheGroupsAnswerOnTheManagementPort() throws Exception {
        assertThat(pods.get(0).get("/actuator/health/liveness").statusCode()).isEqualTo(200);
        assertThat(pods.get(0).get("/actuator/health/readiness").statusCode()).isEqualTo(200);
        assertThat(pods.get(0).get("/actuator/fabric/peers").body()).contains("demo-tensor-service-1");
    }

    @Test
    @Order(3)
    void whenTheCommandsOfThePageRunThenAFileReachesTheOtherPodAndThePreflightIsPrinted() throws Exception {
        String output = new PageCommands(folder, rendered, pods.get(0).managementPort(), rest)
                .run(DeployPage.commands("/push?wait=true"), DeployPage.commands("/actuator/fabric/preflight/"));
        assertThat(output).contains("\"state\":\"DONE\"", "\"nodeId\":\"demo-tensor-service-0\"", "preflight ok in ");
        assertThat(pods.get(1).get("/actuator/fabric/transfers").body()).contains(PageCommands.TENSOR);
    }

    @Test
    @Order(4)
    void whenTheCertificateIsRenewedThenItIsTakenUpWithoutARestart() throws Exception {
        String before = served();
        List<Manifest> renewed = Chart.render(values, Chart.KUBE_VERSION);
        for (DeployedPod pod : pods) {
            pod.renewCertificates(renewed);
        }
        long begin = System.nanoTime();
        await().atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> !served().equals(before));
        System.out.println(
                "certificate: taken up after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + " ms");
        String output = pods.get(0).passTest(testPod("push"), hosts);
        assertThat(output).contains("check push ok");
    }

    /** Serial number of the certificate that the first pod shows. */
    private static String served() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustEverybody()}, null);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(ADDRESSES[0], rest)) {
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                    .getSerialNumber()
                    .toString();
        }
    }

    /** To look at what is shown, whoever signed it. */
    private static final class TrustEverybody implements X509TrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    @Order(5)
    void whenAPodIsToldToEndThenItEndsBeforeKubernetesLosesPatience() throws Exception {
        int grace = Chart.only(rendered, "StatefulSet")
                .at("/spec/template/spec/terminationGracePeriodSeconds")
                .asInt();
        long begin = System.nanoTime();
        exportedByReceiver = pods.get(1).get("/actuator/prometheus").body();
        assertThat(pods.get(1).terminate()).isEqualTo(143);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(grace));
        assertThat(pods.get(1).log()).doesNotContain("hs_err");
    }

    @Test
    @Order(6)
    void whenTheOtherPodIsGoneThenThePreflightFailsWithTheStepTheReasonAndTheRemedy() throws Exception {
        DeployedPod.TestRun lonely = pods.get(0).runTest(testPod("preflight"), hosts);
        assertThat(lonely.status()).as(lonely.output()).isEqualTo(1);
        assertThat(lonely.output())
                .contains(
                        "check failed: the step 'connect': ", "demo-tensor-service-1", " -> Start the peer, and check")
                .contains("  ok    device", "\"connect\" failed", "preflight fail in ");
    }

    @Test
    @Order(7)
    void whenRulesAndDashboardNameMetersThenTheServiceExportsThem() throws Exception {
        // Nobody is there any more, so the push fails, which is a meter of its own.
        DeployedPod.TestRun lonely = pods.get(0).runTest(testPod("handshake"), hosts, "--timeout=10s");
        assertThat(lonely.status()).as(lonely.output()).isEqualTo(1);
        assertThat(lonely.output()).contains("check failed: ");
        String exported =
                exportedByReceiver + pods.get(0).get("/actuator/prometheus").body();
        List<MeterUse> uses = new ArrayList<>();
        Chart.only(rendered, "PrometheusRule")
                .at("/spec/groups/0/rules")
                .forEach(rule -> uses.addAll(MeterUse.of(rule.get("expr").asText())));
        int ofRules = uses.size();
        JsonNode dashboard = new ObjectMapper()
                .readTree(Chart.named(rendered, "ConfigMap", Chart.FULL_NAME + "-dashboard")
                        .object()
                        .path("data")
                        .path("tensor-service.json")
                        .asText());
        for (JsonNode panel : dashboard.get("panels")) {
            for (JsonNode target : panel.get("targets")) {
                List<MeterUse> ofTarget = MeterUse.of(target.get("expr").asText());
                assertThat(ofTarget).as(panel.get("title").asText()).isNotEmpty();
                uses.addAll(ofTarget);
            }
        }
        assertThat(ofRules).isGreaterThan(8);
        assertThat(uses).hasSizeGreaterThan(30);
        TreeSet<String> missing = new TreeSet<>();
        uses.stream().filter(use -> !use.isIn(exported)).forEach(use -> missing.add(use.toString()));
        assertThat(missing).isEmpty();
        assertThat(new MeterUse("fabric_qp_number", Map.of()).isIn(exported)).isFalse();
    }
}

package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.LandingKind;
import io.tensorfabric.transfer.LandingUnavailableException;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.PushSpec;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferPriority;
import io.tensorfabric.transfer.TransferReceipt;
import io.tensorfabric.transfer.TransferRejectedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.logging.LoggingInitializationContext;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.StandardEnvironment;

/** Two applications in one JVM, from the push to the listener, seen through Actuator, the log and metrics. */
@Timeout(120)
class EndToEndTest {

    private static final String[] TRACE = {"logging.config=classpath:logback-trace.xml", "logging.level.root=trace"};

    private static final List<String> ENDPOINTS = List.of(
            "/actuator",
            "/actuator/fabric",
            "/actuator/fabric/devices",
            "/actuator/fabric/peers",
            "/actuator/fabric/pools",
            "/actuator/fabric/transfers",
            "/actuator/fabric/queue-pairs",
            "/actuator/fabric/completion-queues",
            "/actuator/queuepairs",
            "/actuator/completionqueues",
            "/actuator/health",
            "/actuator/env",
            "/actuator/configprops",
            "/actuator/beans",
            "/actuator/conditions",
            "/actuator/mappings",
            "/actuator/loggers",
            "/actuator/metrics",
            "/actuator/metrics/fabric.transfer",
            "/actuator/metrics/fabric.qp.count",
            "/actuator/metrics/fabric.cq.completions");

    private static Node ranker;

    private static Node feeder;

    @BeforeAll
    static void start() {
        LogCapture.clear();
        ranker = new Node("ranker-1", "127.0.0.1", TRACE);
        feeder = new Node(
                "feeder-1",
                "127.0.0.1",
                TRACE[0],
                TRACE[1],
                "fabric.peers[0].name=ranker",
                "fabric.peers[0].url=" + ranker.uri(),
                "fabric.peers[1].name=dead",
                "fabric.peers[1].url=http://127.0.0.1:1",
                "fabric.peers[2].name=alias",
                "fabric.peers[2].url=" + ranker.uri().toString().replace("127.0.0.1", "localhost"));
    }

    @AfterAll
    static void stop() {
        feeder.close();
        ranker.close();
        LoggingSystem logging = LoggingSystem.get(EndToEndTest.class.getClassLoader());
        logging.cleanUp();
        logging.beforeInitialize();
        logging.initialize(new LoggingInitializationContext(new StandardEnvironment()), null, null);
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    private static TransferReceipt push(Node from, String peer, String name, byte[] bytes) throws Exception {
        PushOptions options = PushOptions.defaults()
                .withReceipt(ReceiptLevel.PROCESSED)
                .withChecksum(true)
                .withHeaders(Map.of("step", "7"));
        try (Tensor tensor = Tensor.copyOf(name, DataType.U8, Shape.of(bytes.length), bytes)) {
            return from.bean(TensorTransferService.class)
                    .push(peer, tensor, options)
                    .get(40, TimeUnit.SECONDS);
        }
    }

    private static void assertArrives(Node from, Node to, String peer, String fromName, int size) throws Exception {
        byte[] bytes = bytes(size);
        TransferReceipt receipt = push(from, peer, "embeddings/" + size, bytes);
        assertThat(receipt.level()).isEqualTo(ReceiptLevel.PROCESSED);
        Node.Seen seen = to.bean(Node.Listener.class).seen.poll(10, TimeUnit.SECONDS);
        assertThat(seen).isNotNull();
        assertThat(seen.name()).isEqualTo("embeddings/" + size);
        assertThat(seen.peer()).isEqualTo(fromName);
        assertThat(seen.bytes()).isEqualTo(bytes);
        assertThat(seen.headers()).containsEntry("step", "7");
    }

    @Test
    void whenTensorsArePushedThenBothEndsShowItAndNothingSecretShows() throws Exception {
        assertArrives(feeder, ranker, "ranker", "feeder-1", 0);
        assertArrives(feeder, ranker, "ranker", "feeder-1", 1_000);
        assertArrives(feeder, ranker, "ranker", "feeder-1", 2_000_000);
        assertArrives(feeder, ranker, "ranker", "feeder-1", 9_000_000);
        assertArrives(feeder, ranker, "alias", "feeder-1", 3_000);
        assertArrives(ranker, feeder, "feeder-1", "ranker", 5_000);
        Set<String> failures =
                Set.of(failure("ranker", "bad/one"), failure("ranker", "unwanted"), failure("dead", "embeddings/x"));
        assertThat(failures).hasSize(3);
        assertShownAtBothEnds();
        assertNothingSecret(failures);
    }

    /** Each end has learnt from the negotiation what the other one has. */
    @Test
    void whenAPushAsksForAGpuWhereThereIsNoneThenItSaysSoAndOneForTheHostArrives() throws Exception {
        byte[] bytes = bytes(1_000);
        Map<Node, String> peers = Map.of(feeder, "ranker", ranker, "feeder-1");
        for (Node from : List.of(feeder, ranker)) {
            Node to = from == feeder ? ranker : feeder;
            to.bean(Node.Listener.class).seen.clear();
            PushSpec spec = from.bean(TensorTransferService.class).to(peers.get(from));
            try (Tensor tensor = Tensor.copyOf("embeddings/landing", DataType.U8, Shape.of(bytes.length), bytes)) {
                assertThatThrownBy(() -> spec.landing(LandingKind.DEVICE).pushAndWait(tensor))
                        .isInstanceOf(LandingUnavailableException.class)
                        .hasMessageContaining("'" + peers.get(from) + "'")
                        .hasMessageContaining("no GPU");
                spec.landing(LandingKind.HOST).priority(TransferPriority.LOW).pushAndWait(tensor);
            }
            Node.Seen seen = to.bean(Node.Listener.class).seen.poll(10, TimeUnit.SECONDS);
            assertThat(seen).isNotNull();
            assertThat(seen.bytes()).isEqualTo(bytes);
        }
    }

    /** Each end has learnt from the negotiation that the other one knows groups. */
    @Test
    void whenSeveralArePushedTogetherThenTheListenerHearsOfAllOrOfNone() throws Exception {
        Map<Node, String> peers = Map.of(feeder, "ranker", ranker, "feeder-1");
        for (Node from : List.of(feeder, ranker)) {
            Node to = from == feeder ? ranker : feeder;
            to.bean(Node.Listener.class).seen.clear();
            PushSpec spec = from.bean(TensorTransferService.class).to(peers.get(from));
            try (Tensor one = Tensor.copyOf("embeddings/one", DataType.U8, Shape.of(1), new byte[] {1});
                    Tensor two = Tensor.copyOf("embeddings/two", DataType.U8, Shape.of(2), new byte[] {2, 2});
                    Tensor unwanted = Tensor.copyOf("nobody/listens", DataType.U8, Shape.of(1), new byte[1])) {
                assertThatThrownBy(() -> spec.pushAllAndWait(List.of(one, unwanted)))
                        .isInstanceOf(TransferRejectedException.class)
                        .hasMessageContaining("nobody/listens");
                spec.receipt(ReceiptLevel.PROCESSED).pushAllAndWait(List.of(one, two));
            }
            Set<Integer> lengths = new TreeSet<>();
            for (Node.Seen seen : to.bean(Node.Listener.class).seen) {
                assertThat(lengths.add(seen.bytes().length)).isTrue();
            }
            assertThat(lengths).containsExactly(1, 2);
        }
    }

    private static String failure(String peer, String name) {
        StringBuilder messages = new StringBuilder();
        assertThatThrownBy(() -> push(feeder, peer, name, bytes(10)))
                .isInstanceOf(ExecutionException.class)
                .satisfies(failure -> {
                    for (Throwable each = failure; each != null; each = each.getCause()) {
                        messages.append(each).append('\n');
                    }
                });
        return messages.toString();
    }

    private static void assertShownAtBothEnds() throws Exception {
        for (Node node : List.of(feeder, ranker)) {
            assertThat(node.get("/actuator/fabric"))
                    .startsWith("200")
                    .contains("\"provider\":{\"name\":\"soft\"", "soft0", "\"UP\"", "shared secret");
            assertThat(node.bean(FabricLifecycle.class)
                            .requireNode()
                            .connections()
                            .connections())
                    .hasSize(1);
            assertThat(node.get("/actuator/queuepairs"))
                    .contains("\"state\":\"RTS\"", "\"peerState\":\"RTS\"", "\"purpose\":\"CONTROL\"");
            assertThat(node.get("/actuator/completionqueues")).contains("\"SUCCESS\":", "capacity");
            assertThat(node.get("/actuator/fabric/pools")).contains("\"name\":\"host\"", "\"capacity\":67108864");
            assertThat(node.get("/actuator/fabric/transfers")).contains("embeddings/2000000");
            assertThat(node.get("/actuator/fabric/nothing")).startsWith("404");
            assertThat(node.get("/actuator/health")).startsWith("200").contains("\"fabric\":{", "\"status\":\"UP\"");
            assertThat(node.get("/actuator/metrics/fabric.transfer")).contains("direction", "outcome");
            assertThat(node.get("/actuator/metrics/fabric.qp.count?tag=state:RTS"))
                    .contains("\"value\":3.0");
            assertThat(node.get("/actuator/metrics/fabric.pool.used?tag=pool:host"))
                    .startsWith("200");
        }
        assertThat(feeder.get("/actuator/fabric/peers")).contains("\"dead\"", "FAILED");
        assertThat(feeder.get("/actuator/health/liveness")).contains("UP");
        assertThat(feeder.get("/actuator/env/fabric.security.shared-secret")).contains("******");
    }

    private static void assertNothingSecret(Set<String> failures) throws Exception {
        List<String> texts = new ArrayList<>(failures);
        for (Node node : List.of(feeder, ranker)) {
            for (String endpoint : ENDPOINTS) {
                String answer = node.get(endpoint);
                assertThat(answer).as(endpoint).startsWith("200");
                texts.add(endpoint + " " + answer);
            }
        }
        assertThat(LogCapture.lines())
                .hasSizeGreaterThan(100)
                .anyMatch(line -> line.startsWith("io.tensorfabric"))
                .anyMatch(line -> line.startsWith("org.apache.coyote"));
        texts.addAll(LogCapture.lines());
        List<String> secrets = new ArrayList<>(List.of(Node.SECRET));
        secrets.addAll(feeder.provider.secrets());
        secrets.addAll(ranker.provider.secrets());
        assertThat(secrets).hasSizeGreaterThan(20);
        for (String text : texts) {
            for (String secret : secrets) {
                assertThat(text.contains(secret)).as("%s in: %s", secret, text).isFalse();
            }
        }
    }

    /** Both ways, but for the counters of ports, of which the software device has none. */
    @Test
    void whenThereIsAMeterThenTheReferenceNamesItAndNamesNoOther() throws Exception {
        push(feeder, "ranker", "embeddings/metered", bytes(10));
        Set<String> there = new TreeSet<>();
        for (Node node : List.of(feeder, ranker)) {
            node.bean(MeterRegistry.class).getMeters().stream()
                    .map(meter -> meter.getId().getName())
                    .filter(name -> name.startsWith("fabric."))
                    .forEach(there::add);
        }
        // An observation is a timer too; while one is under way there is another.
        there.removeIf(name -> name.endsWith(".active") && !name.equals("fabric.transfer.active"));
        List<String> page = Files.readAllLines(Path.of("..", "docs", "actuator.md"));
        Set<String> documented = documented(page, "| meter |");
        documented.removeIf(name -> name.startsWith("fabric.port."));
        Set<String> observations = documented(page, "| observation |");
        assertThat(observations).contains("fabric.push", "fabric.listener");
        assertThat(there).hasSizeGreaterThan(20).containsAll(documented);
        there.removeAll(observations);
        assertThat(documented).containsAll(there);
    }

    /** The names in the first column of a table; later ones of a row may leave out what they begin with. */
    private static Set<String> documented(List<String> page, String head) {
        int begin = 0;
        while (!page.get(begin).startsWith(head)) {
            begin++;
        }
        Set<String> names = new TreeSet<>();
        for (String row : page.subList(begin + 2, page.size())) {
            if (!row.startsWith("| `")) {
                break;
            }
            String prefix = "";
            Matcher name = Pattern.compile("`([a-z.]+)`").matcher(row.substring(0, row.indexOf('|', 1)));
            while (name.find()) {
                String text = name.group(1);
                names.add(text.startsWith(".") ? prefix + text : text);
                if (prefix.isEmpty()) {
                    prefix = text.substring(0, text.lastIndexOf('.'));
                }
            }
        }
        return names;
    }

    @Test
    void whenTheFabricRunsThenItStartedBeforeTheWebServer() {
        assertThat(feeder.bean(FabricLifecycle.class).isRunning()).isTrue();
        List<String> lines = LogCapture.lines();
        int fabric = indexOf(lines, "Fabric node ranker-1 is ready");
        int web = indexOf(lines, "Tomcat started on port");
        assertThat(fabric).isNotNegative().isLessThan(web);
    }

    private static int indexOf(List<String> lines, String part) {
        for (int index = 0; index < lines.size(); index++) {
            if (lines.get(index).contains(part)) {
                return index;
            }
        }
        return -1;
    }
}

package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.TensorTransferService;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** All endpoints of Actuator exposed, with values shown, as careless operators do. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class ExposedEndpointsTest {

    private static final String[] ENDPOINTS = {
        "beans",
        "conditions",
        "configprops",
        "env",
        "env/fabric.security.shared-secret",
        "fabric",
        "health",
        "info",
        "loggers",
        "mappings",
        "metrics",
        "queuepairs",
        "completionqueues",
        "scheduledtasks",
        "threaddump"
    };

    @Test
    void whenEveryEndpointIsExposedThenNoneTellsASecretAndTheHeapIsNotAmongThem(CapturedOutput output)
            throws Exception {
        try (Node ranker = new Node(
                        "ranker-x",
                        "127.0.0.1",
                        "fabric.security.allowed-peers[0].node=feeder-x",
                        "fabric.security.allowed-peers[0].rights=pull,push");
                Node feeder = new Node("feeder-x", "127.0.0.1", "fabric.peers=ranker=" + ranker.uri());
                Tensor tensor = Tensor.copyOf("embeddings/x", DataType.U8, Shape.of(1), new byte[] {7})) {
            feeder.bean(TensorTransferService.class).push("ranker", tensor).get(40, TimeUnit.SECONDS);
            for (String endpoint : ENDPOINTS) {
                String answer = ranker.get("/actuator/" + endpoint);
                assertThat(answer).as(endpoint).startsWith("200").doesNotContain(Node.SECRET);
            }
            assertThat(ranker.get("/actuator/fabric"))
                    .contains("\"authentication\":\"shared secret\"", "\"allowedPeers\":1");
            assertThat(ranker.get("/actuator/queuepairs")).contains("\"rights\":[\"PUSH\",\"PULL\"]");
            assertThat(ranker.get("/actuator/heapdump")).startsWith("404");
            assertThat(output).doesNotContain("heapdump").doesNotContain(Node.SECRET);
        }
    }

    @Test
    void whenNobodySaysWhatIsExposedThenOnlyTheHealthIs() throws Exception {
        // An empty list is as none.
        try (Node node = new Node("closed-x", "127.0.0.1", "management.endpoints.web.exposure.include=")) {
            assertThat(node.get("/actuator/health")).startsWith("200");
            for (String endpoint : List.of("fabric", "fabric/peers", "queuepairs", "completionqueues", "metrics")) {
                assertThat(node.get("/actuator/" + endpoint)).as(endpoint).startsWith("404");
            }
            assertThat(node.post("/actuator/fabric/preflight/ranker", "{}")).startsWith("404");
        }
    }

    @Test
    void whenTheHeapIsExposedThenAWarningSaysWhatThatMeans(CapturedOutput output) {
        try (Node node = new Node("open-x", "127.0.0.1", "management.endpoint.heapdump.access=unrestricted")) {
            assertThat(node.context.isRunning()).isTrue();
            assertThat(output).contains("management.endpoint.heapdump.access");
        }
    }
}

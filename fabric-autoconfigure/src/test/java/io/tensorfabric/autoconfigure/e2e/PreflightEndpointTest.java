package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.InvalidTransferException;
import io.tensorfabric.transfer.ReservedNames;
import io.tensorfabric.transfer.TensorListenerRegistry;
import io.tensorfabric.transfer.TensorTransferService;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(120)
class PreflightEndpointTest {

    private static JsonNode body(String answer) {
        assertThat(answer).startsWith("200 ");
        return JsonMapper.shared().readTree(answer.substring(4));
    }

    private static JsonNode step(JsonNode report, String name) {
        for (JsonNode step : report.path("ladder")) {
            if (step.path("name").asString().equals(name)) {
                return step;
            }
        }
        throw new AssertionError(name + " is not in " + report);
    }

    @Test
    void whenAPreflightIsAskedForThenTheLadderIsClimbedAndNoListenerHearsOfIt() throws Exception {
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        try (Node ranker = new Node("ranker-p", "127.0.0.1");
                Node feeder = new Node(
                        "feeder-p", "127.0.0.1", "fabric.gpu.enabled=false", "fabric.peers=ranker=" + ranker.uri())) {
            ranker.bean(TensorListenerRegistry.class).register("all", "*", "*", received -> {
                heard.add(received.tensor().name());
                received.close();
            });
            String answer = feeder.post("/actuator/fabric/preflight/ranker", "{}");

            JsonNode report = body(answer);
            assertThat(answer).doesNotContain(Node.SECRET);
            assertThat(report.path("outcome").asString()).as(answer).isIn("OK", "WARN");
            assertThat(step(report, "1 MiB").path("outcome").asString()).isEqualTo("OK");
            assertThat(step(report, "8 at once").path("outcome").asString()).isEqualTo("OK");
            assertThat(step(report, "GPU direct").path("outcome").asString()).isEqualTo("SKIP");
            assertThat(report.path("environment").size()).isGreaterThan(6);
            assertThat(report.path("text").get(0).asString())
                    .startsWith("preflight from feeder-p (")
                    .endsWith("to ranker");
            assertThat(heard).isEmpty();
            assertThat(ranker.get("/actuator/fabric/transfers")).contains(ReservedNames.PREFLIGHT);

            try (Tensor own = Tensor.copyOf(ReservedNames.PREFLIGHT + "x", DataType.U8, Shape.of(1), new byte[1])) {
                assertThatThrownBy(() -> feeder.bean(TensorTransferService.class)
                                .push("ranker", own)
                                .get(20, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(InvalidTransferException.class)
                        .hasMessageContaining("Choose another name");
            }
        }
    }

    @Test
    void whenThePeerIsDownThenTheAnswerIsALadderWithTheFailedStep() throws Exception {
        try (Node feeder = new Node(
                "feeder-d",
                "127.0.0.1",
                "fabric.peers=gone=http://127.0.0.1:1",
                "fabric.diagnostics.preflight-timeout=5s")) {
            JsonNode report = body(feeder.post("/actuator/fabric/preflight/gone", "{}"));
            assertThat(report.path("outcome").asString()).isEqualTo("FAIL");
            assertThat(step(report, "connect").path("outcome").asString()).isEqualTo("FAIL");
            assertThat(step(report, "connect").path("remedy").asString()).contains("fabric.peers");
            assertThat(step(report, "1 byte").path("outcome").asString()).isEqualTo("SKIP");

            assertThat(feeder.post("/actuator/fabric/reboot/gone", "{}")).startsWith("400 ");
            assertThat(feeder.get("/actuator/fabric/preflight")).startsWith("404 ");
        }
    }

    @Test
    void whenTheEndpointIsReadOnlyThenThereIsNoPreflight() throws Exception {
        try (Node feeder = new Node("feeder-r", "127.0.0.1", "management.endpoint.fabric.access=read-only")) {
            assertThat(feeder.post("/actuator/fabric/preflight/ranker", "{}")).startsWith("40");
            assertThat(feeder.get("/actuator/fabric")).startsWith("200 ");
        }
    }
}

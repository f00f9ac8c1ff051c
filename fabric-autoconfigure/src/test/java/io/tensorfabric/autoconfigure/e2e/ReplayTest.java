package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.connection.QueuePairConnectionManager;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.TensorTransferService;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything that two nodes said over plain HTTP is said again, by somebody who listened. */
@Timeout(120)
class ReplayTest {

    private static QueuePairConnectionManager connections(Node node) {
        return node.bean(FabricLifecycle.class).requireNode().connections();
    }

    private static void push(Node from, int bytes) throws Exception {
        try (Tensor tensor = Tensor.copyOf("embeddings/x", DataType.U8, Shape.of(bytes), new byte[bytes])) {
            from.bean(TensorTransferService.class).push("ranker", tensor).get(40, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenRecordedCallsAreSentAgainThenAllAreRefusedAndTheLiveConnectionIsUntouched() throws Exception {
        try (Node ranker = new Node("ranker-p", "127.0.0.1");
                Node other = new Node("other-p", "127.0.0.1");
                Eavesdropper wire = new Eavesdropper(ranker.uri().getPort());
                Node feeder =
                        new Node("feeder-p", "127.0.0.1", "fabric.peers=ranker=http://127.0.0.1:" + wire.port())) {
            push(feeder, 1);
            // Larger than the landing zone, so that a zone is asked for too.
            push(feeder, 9_000_000);
            connections(feeder).disconnect("ranker", Duration.ofSeconds(10));
            push(feeder, 1);
            List<byte[]> calls = wire.calls();
            assertThat(calls)
                    .extracting(call -> new String(call, StandardCharsets.ISO_8859_1)
                            .lines()
                            .findFirst()
                            .orElseThrow()
                            .replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "ID"))
                    .contains(
                            "GET /fabric/v1/node HTTP/1.1",
                            "POST /fabric/v1/connections HTTP/1.1",
                            "POST /fabric/v1/connections/ID/established HTTP/1.1",
                            "POST /fabric/v1/connections/ID/zones HTTP/1.1",
                            "DELETE /fabric/v1/connections/ID HTTP/1.1");
            Connection before = connections(ranker).find("feeder-p");
            for (byte[] call : calls) {
                assertThat(Eavesdropper.send(ranker.uri().getPort(), call)).isEqualTo(401);
                assertThat(Eavesdropper.send(other.uri().getPort(), call)).isEqualTo(401);
                byte[] changed = call.clone();
                changed[changed.length - 2] ^= 1;
                assertThat(Eavesdropper.send(ranker.uri().getPort(), changed)).isIn(400, 401);
            }
            assertThat(connections(ranker).connections()).containsExactly(before);
            assertThat(before.state()).isEqualTo(ConnectionState.UP);
            assertThat(connections(other).connections()).isEmpty();
            push(feeder, 1);
        }
    }
}

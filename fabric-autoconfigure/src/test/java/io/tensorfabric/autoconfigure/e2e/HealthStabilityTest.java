package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Case S11: a dead peer, completion errors and a flapping port restart nobody. */
@Timeout(180)
class HealthStabilityTest {

    /** Case S11 wants 30. */
    private static final int SECONDS = Integer.getInteger("fabric.test.flappingSeconds", 8);

    private static final PushOptions SHORT = PushOptions.defaults().withDeadline(Duration.ofMillis(500));

    @Test
    void whenAPeerDiesAndThePortFlapsThenProbesHoldAndHealthHardlyChanges() throws Exception {
        Node third = new Node("third-h", "127.0.0.1");
        try (Node first = new Node("first-h", "127.0.0.1");
                Node second = new Node("second-h", "127.0.0.1");
                Node hub = new Node(
                        "hub-h",
                        "127.0.0.1",
                        "management.endpoint.health.probes.enabled=true",
                        "fabric.peers=first=" + first.uri() + ",second=" + second.uri() + ",third=" + third.uri());
                Tensor tensor = Tensor.copyOf("embeddings/t", DataType.U8, Shape.of(3), new byte[] {1, 2, 3})) {
            TensorTransferService transfers = hub.bean(TensorTransferService.class);
            for (String peer : List.of("first", "second", "third")) {
                transfers.push(peer, tensor).get(20, TimeUnit.SECONDS);
            }
            third.close();
            hub.provider.faults().failWorkRequests(0, 1, WorkCompletionStatus.LOC_PROT_ERR);
            List<String> statuses = new ArrayList<>();
            for (int i = 0; i < SECONDS; i++) {
                hub.provider.faults().setPortState(1, i % 2 == 0 ? PortState.DOWN : PortState.ACTIVE);
                for (String peer : List.of("first", "second", "third")) {
                    var unused = transfers.push(peer, tensor, SHORT);
                }
                for (int look = 0; look < 5; look++) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                    statuses.add(hub.get("/actuator/health").substring(0, 3));
                    for (String probe : List.of("liveness", "readiness")) {
                        assertThat(hub.get("/actuator/health/" + probe))
                                .as(probe)
                                .startsWith("200")
                                .contains("UP");
                    }
                }
            }
            hub.provider.faults().setPortState(1, PortState.ACTIVE);
            long changes = 0;
            for (int i = 1; i < statuses.size(); i++) {
                changes += statuses.get(i).equals(statuses.get(i - 1)) ? 0 : 1;
            }
            assertThat(changes).as("changes of %s", statuses).isLessThanOrEqualTo(2);
            assertThat(hub.get("/actuator/health")).contains("third").contains("FAILED");
        } finally {
            third.close();
        }
    }
}

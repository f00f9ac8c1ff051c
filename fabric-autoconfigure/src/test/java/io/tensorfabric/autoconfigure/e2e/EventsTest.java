package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.event.PeerDownEvent;
import io.tensorfabric.event.PeerUpEvent;
import io.tensorfabric.event.TransferFailedEvent;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.TensorTransferService;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

/** What an application's event listeners hear. */
@Timeout(120)
class EventsTest {

    @Test
    void whenPeersComeAndGoAndTransfersFailThenTheApplicationHearsOfIt() throws Exception {
        List<Object> heard = new CopyOnWriteArrayList<>();
        try (Node ranker = new Node("ranker-1", "127.0.0.1");
                Node feeder = new Node(
                        "feeder-1",
                        "127.0.0.1",
                        "fabric.peers[0].name=ranker",
                        "fabric.peers[0].url=" + ranker.uri())) {
            feeder.context.addApplicationListener((ApplicationListener<ApplicationEvent>) event -> {
                if (event instanceof PayloadApplicationEvent<?> payload) {
                    heard.add(payload.getPayload());
                }
            });
            try (Tensor unwanted = Tensor.copyOf("nobody/listens", DataType.U8, Shape.of(1), new byte[1])) {
                assertThat(feeder.bean(TensorTransferService.class).push("ranker", unwanted))
                        .failsWithin(Duration.ofSeconds(40));
            }
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(heard)
                            .anySatisfy(event -> assertThat(event).isInstanceOfSatisfying(PeerUpEvent.class, up -> {
                                assertThat(up.peer()).isEqualTo("ranker");
                                assertThat(up.nodeId()).isEqualTo("ranker-1");
                            }))
                            .anySatisfy(event -> assertThat(event)
                                    .isInstanceOfSatisfying(
                                            TransferFailedEvent.class,
                                            failed -> assertThat(failed.status().error())
                                                    .contains("nobody/listens"))));
            ranker.context.close();
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(heard)
                            .anySatisfy(event -> assertThat(event)
                                    .isInstanceOfSatisfying(
                                            PeerDownEvent.class,
                                            down -> assertThat(down.nodeId()).isEqualTo("ranker-1"))));
        }
    }
}

package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.tensorfabric.observation.ListenerObservationContext;
import io.tensorfabric.observation.PushObservationContext;
import io.tensorfabric.observation.RegionObservationContext;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.PublishOptions;
import io.tensorfabric.transfer.PublishedTensor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TensorNotPublishedException;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** From a push to the listener of another application, with what stands for a tracer at both ends. */
@Timeout(120)
class ObservationTest {

    private static final String TRACE = "traceparent";

    private final List<String> seen = new CopyOnWriteArrayList<>();

    /** Does with the carriers what the propagation of a tracer does. */
    private final class Tracer implements ObservationHandler<Observation.Context> {

        @Override
        public void onStart(Observation.Context context) {
            if (context instanceof PushObservationContext push) {
                push.getSetter()
                        .set(
                                push.getCarrier(),
                                TRACE,
                                "00-trace-" + push.tensor().name());
            }
            if (context instanceof ListenerObservationContext listener) {
                seen.add("joins " + listener.getGetter().get(listener.getCarrier(), TRACE));
            }
        }

        @Override
        public void onStop(Observation.Context context) {
            seen.add(context.getName() + " "
                    + context.getLowCardinalityKeyValues().stream()
                            .map(value -> value.getKey() + "=" + value.getValue())
                            .toList()
                    + (context.getError() == null ? "" : " failed"));
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof PushObservationContext
                    || context instanceof RegionObservationContext
                    || context instanceof ListenerObservationContext;
        }
    }

    private static void push(Node from, String name, Map<String, String> headers) {
        PushOptions options =
                PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED).withHeaders(headers);
        try (Tensor tensor = Tensor.copyOf(name, DataType.U8, Shape.of(1), new byte[1])) {
            assertThat(from.bean(TensorTransferService.class)
                            .push("ranker", tensor, options)
                            .handle((done, failed) -> 1))
                    .succeedsWithin(Duration.ofSeconds(40));
        }
    }

    private static void pullAndPut(TensorTransferService owner, TensorTransferService user) {
        try (Tensor weights = Tensor.copyOf("weights", DataType.U8, Shape.of(3), new byte[] {1, 2, 3});
                PublishedTensor published =
                        owner.publish(weights, PublishOptions.readable().withWriters("feeder-1"))) {
            assertThat(owner.published()).containsExactly(published);
            try (Tensor pulled = user.at("ranker", "weights").checksum().pullAndWait()) {
                assertThat(pulled.asByteBuffer()).isEqualTo(weights.asByteBuffer());
                pulled.asByteBuffer().put(0, (byte) 9);
                user.at("ranker", "weights").checksum().putAndWait(pulled);
            }
            assertThat(weights.asByteBuffer().get(0)).isEqualTo((byte) 9);
        }
        try (Tensor nothing = Tensor.copyOf("w", DataType.U8, Shape.of(3), new byte[3])) {
            assertThatThrownBy(() -> user.at("ranker", "weights").pullAndWait(nothing))
                    .isInstanceOf(TensorNotPublishedException.class);
        }
        assertThat(user.transfers())
                .extracting(TransferStatus::direction)
                .contains(TransferStatus.Direction.PULL, TransferStatus.Direction.PUT);
    }

    @Test
    void whenATensorIsPushedThenItsListenerGoesOnWithTheSendersTrace() throws Exception {
        try (Node ranker = new Node("ranker-1", "127.0.0.1");
                Node feeder = new Node(
                        "feeder-1",
                        "127.0.0.1",
                        "fabric.peers[0].name=ranker",
                        "fabric.peers[0].url=" + ranker.uri())) {
            for (Node node : List.of(ranker, feeder)) {
                node.bean(ObservationRegistry.class).observationConfig().observationHandler(new Tracer());
            }
            push(feeder, "embeddings/1", Map.of("k", "v"));
            Node.Seen received = ranker.bean(Node.Listener.class).seen.take();
            assertThat(received.headers()).isEqualTo(Map.of("k", "v", TRACE, "00-trace-embeddings/1"));
            await().untilAsserted(() -> assertThat(seen)
                    .containsExactlyInAnyOrder(
                            "joins 00-trace-embeddings/1",
                            "fabric.listener [fabric.peer=feeder-1]",
                            "fabric.push [fabric.peer=ranker]"));
            seen.clear();
            pullAndPut(ranker.bean(TensorTransferService.class), feeder.bean(TensorTransferService.class));
            await().untilAsserted(() -> assertThat(seen)
                    .containsExactly(
                            "fabric.pull [fabric.peer=ranker]",
                            "fabric.put [fabric.peer=ranker]",
                            "fabric.pull [fabric.peer=ranker] failed"));
            seen.clear();
            push(feeder, "bad/1", Map.of());
            await().untilAsserted(() -> assertThat(seen)
                    .containsExactlyInAnyOrder(
                            "joins 00-trace-bad/1",
                            "fabric.listener [fabric.peer=feeder-1] failed",
                            "fabric.push [fabric.peer=ranker] failed"));
            Map<String, String> full = Map.of("k", "v".repeat(2040));
            push(feeder, "embeddings/2", full);
            assertThat(ranker.bean(Node.Listener.class).seen.take().headers())
                    .as("no room for the trace, and no failure")
                    .isEqualTo(full);
        }
    }
}

package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import brave.Span.Kind;
import brave.Tracing;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.CurrentTraceContext;
import brave.propagation.ThreadLocalCurrentTraceContext;
import brave.propagation.TraceContext;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.ScopedSpan;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.brave.bridge.BraveBaggageManager;
import io.micrometer.tracing.brave.bridge.BraveCurrentTraceContext;
import io.micrometer.tracing.brave.bridge.BravePropagator;
import io.micrometer.tracing.brave.bridge.BraveTracer;
import io.micrometer.tracing.brave.bridge.W3CPropagation;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TensorTransferService;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two applications with a tracer each, as Spring Boot sets it up: what comes of a request is one trace. */
@Timeout(120)
class TraceTest {

    /** The tracer of an application, and the spans that it ended. */
    private static final class Traced implements AutoCloseable {

        private final List<MutableSpan> spans = new CopyOnWriteArrayList<>();

        private final Tracing tracing;

        private final Tracer tracer;

        Traced(Node node) {
            CurrentTraceContext current = ThreadLocalCurrentTraceContext.create();
            tracing = Tracing.newBuilder()
                    .currentTraceContext(current)
                    .propagationFactory(new W3CPropagation())
                    .addSpanHandler(new SpanHandler() {
                        @Override
                        public boolean end(TraceContext context, MutableSpan span, Cause cause) {
                            spans.add(span);
                            return true;
                        }
                    })
                    .build();
            tracer =
                    new BraveTracer(tracing.tracer(), new BraveCurrentTraceContext(current), new BraveBaggageManager());
            BravePropagator propagator = new BravePropagator(tracing);
            node.bean(ObservationRegistry.class)
                    .observationConfig()
                    .observationHandler(new FirstMatchingCompositeObservationHandler(
                            new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                            new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                            new DefaultTracingObservationHandler(tracer)));
        }

        MutableSpan span(String name) {
            return await().until(
                            () -> spans.stream()
                                    .filter(span -> name.equals(span.name()))
                                    .toList(),
                            found -> found.size() == 1)
                    .get(0);
        }

        @Override
        public void close() {
            tracing.close();
        }
    }

    @Test
    void whenARequestPushesATensorThenTheListenersSpanIsPartOfItsTrace() throws Exception {
        try (Node ranker = new Node("ranker-t", "127.0.0.1");
                Node feeder = new Node("feeder-t", "127.0.0.1", "fabric.peers=ranker=" + ranker.uri());
                Traced receiver = new Traced(ranker);
                Traced sender = new Traced(feeder);
                Tensor tensor = Tensor.copyOf("embeddings/t", DataType.U8, Shape.of(3), new byte[3])) {
            ScopedSpan request = sender.tracer.startScopedSpan("request");
            try {
                feeder.bean(TensorTransferService.class)
                        .to("ranker")
                        .receipt(ReceiptLevel.PROCESSED)
                        .pushAndWait(tensor);
            } finally {
                request.end();
            }
            MutableSpan push = sender.span("push to ranker");
            MutableSpan listener = receiver.span("listen to feeder-t");
            assertThat(push.traceId()).isEqualTo(request.context().traceId());
            assertThat(push.parentId()).isEqualTo(request.context().spanId());
            assertThat(listener.traceId()).isEqualTo(push.traceId());
            assertThat(listener.parentId()).isEqualTo(push.id());
            assertThat(push.kind()).isEqualTo(Kind.PRODUCER);
            assertThat(listener.kind()).isEqualTo(Kind.CONSUMER);
            assertThat(push.remoteServiceName()).isEqualTo("ranker");
            assertThat(listener.tags())
                    .containsEntry("fabric.peer", "feeder-t")
                    .containsEntry("fabric.tensor", "embeddings/t")
                    .containsEntry("fabric.bytes", "3");
        }
    }
}

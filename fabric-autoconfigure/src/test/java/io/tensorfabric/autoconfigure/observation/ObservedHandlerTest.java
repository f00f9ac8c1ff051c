package io.tensorfabric.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.tensorfabric.listener.TensorHandler;
import io.tensorfabric.observation.ListenerObservationContext;
import io.tensorfabric.observation.ListenerObservationConvention;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.ReceivedTensor;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ObservedHandlerTest {

    private final Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(1), new byte[1]);

    private final ReceivedTensor received = (ReceivedTensor) Proxy.newProxyInstance(
            ReceivedTensor.class.getClassLoader(),
            new Class<?>[] {ReceivedTensor.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "peer" -> "feeder";
                case "tensor" -> tensor;
                case "headers" -> Map.of("traceparent", "00-trace");
                default -> throw new UnsupportedOperationException(method.getName());
            });

    private final Acknowledgment answer = (Acknowledgment) Proxy.newProxyInstance(
            Acknowledgment.class.getClassLoader(),
            new Class<?>[] {Acknowledgment.class},
            (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    private final List<String> ended = new ArrayList<>();

    private final ObservationRegistry registry = ObservationRegistry.create();

    ObservedHandlerTest() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                ended.add(context.getName() + " " + context.getContextualName() + " "
                        + context.getLowCardinalityKeyValues().stream().toList());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    @AfterEach
    void close() {
        tensor.close();
    }

    private void handle(TensorHandler handler, ListenerObservationConvention convention) throws Exception {
        new ObservedHandler(handler, registry, convention).handle(received, answer);
    }

    @Test
    void whenAListenerRunsThenTheSendersObservationIsTheCurrentOneAndEndsWithIt() throws Exception {
        handle(
                (tensor, acknowledgment) -> {
                    Observation current = registry.getCurrentObservation();
                    assertThat(current).isNotNull();
                    assertThat(current.getContext())
                            .isInstanceOfSatisfying(ListenerObservationContext.class, context -> {
                                assertThat(context.getCarrier()).containsEntry("traceparent", "00-trace");
                                assertThat(context.getRemoteServiceName()).isEqualTo("feeder");
                            });
                    assertThat(tensor).isSameAs(received);
                    assertThat(acknowledgment).isSameAs(answer);
                },
                null);
        assertThat(registry.getCurrentObservation()).isNull();
        assertThat(ended).containsExactly("fabric.listener listen to feeder [keyValue(fabric.peer=feeder)]");
    }

    @Test
    void whenAListenerThrowsThenItsOwnExceptionComesOutAndTheObservationEnds() {
        assertThatThrownBy(() -> handle(
                        (tensor, acknowledgment) -> {
                            throw new java.io.IOException("no disk");
                        },
                        null))
                .isInstanceOf(java.io.IOException.class)
                .hasMessage("no disk");
        assertThat(ended).hasSize(1);
    }

    @Test
    void whenThereIsAnotherConventionThenNameAndKeysAreItsOwn() throws Exception {
        handle((tensor, acknowledgment) -> {}, new ListenerObservationConvention() {
            @Override
            public String getName() {
                return "app.receive";
            }

            @Override
            public KeyValues getLowCardinalityKeyValues(ListenerObservationContext context) {
                return KeyValues.of("app.tensor", context.tensor().name());
            }
        });
        assertThat(ended).containsExactly("app.receive null [keyValue(app.tensor=t)]");
    }
}

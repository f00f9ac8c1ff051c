package io.tensorfabric.autoconfigure.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.annotation.TensorHeader;
import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.listener.TensorArgumentResolver;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.ReceivedTensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.MethodParameter;

class ListenerArgumentsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FabricListenerAutoConfiguration.class))
            .withBean(FakeRegistry.class, FakeRegistry::new)
            .withBean("listeners", Listeners.class);

    static class Listeners {

        final List<Object> seen = new ArrayList<>();

        @TensorListener(id = "all")
        void all(
                ReceivedTensor received,
                Tensor tensor,
                TensorDescriptor descriptor,
                Shape shape,
                DataType type,
                ByteBuffer view,
                byte[] copy,
                Map<String, String> headers) {
            assertThat(view.get(0)).isEqualTo(copy[0]);
            seen.addAll(List.of(received.peer(), tensor.name(), descriptor.name(), shape, type, copy[1], headers));
        }

        @TensorListener(id = "headers")
        void headers(
                @TensorHeader int step,
                @TensorHeader("d-type") DataType type,
                @TensorHeader(value = "none", required = false) String missing,
                @TensorHeader(value = "rate", defaultValue = "0.5") double rate) {
            seen.add(step + " " + type + " " + missing + " " + rate);
        }

        @TensorListener(id = "needing")
        void needing(@TensorHeader String trace) {
            seen.add(trace);
        }
    }

    private static void deliver(FakeRegistry registry, String id, FakeReceived received) throws Exception {
        registry.receiver(id + " * *").receive(received);
    }

    @Test
    void whenParametersAreOfKnownTypesThenTheyAreFilled() {
        runner.run(context -> {
            FakeReceived received = new FakeReceived(Map.of("k", "v"), (byte) 3, (byte) 4);
            deliver(context.getBean(FakeRegistry.class), "all", received);
            assertThat(context.getBean(Listeners.class).seen)
                    .containsExactly("peer", "t", "t", Shape.of(2), DataType.U8, (byte) 4, Map.of("k", "v"));
        });
    }

    @Test
    void whenParametersTakeHeadersThenTheyAreConverted() {
        runner.run(context -> {
            FakeRegistry registry = context.getBean(FakeRegistry.class);
            deliver(registry, "headers", new FakeReceived(Map.of("step", "7", "d-type", "BF16"), (byte) 1));
            deliver(
                    registry,
                    "headers",
                    new FakeReceived(Map.of("step", "8", "d-type", "F32", "rate", "2", "none", "x"), (byte) 1));
            assertThat(context.getBean(Listeners.class).seen).containsExactly("7 BF16 null 0.5", "8 F32 x 2.0");
        });
    }

    @Test
    void whenAHeaderIsMissingOrMalformedThenTheListenerFailsAndTheTensorIsClosed() {
        runner.run(context -> {
            FakeRegistry registry = context.getBean(FakeRegistry.class);
            FakeReceived bare = FakeReceived.one();
            assertThatThrownBy(() -> deliver(registry, "needing", bare))
                    .hasMessageContaining("no header 'trace'")
                    .hasMessageContaining("'peer'");
            assertThat(bare.tensor.isClosed()).isTrue();
            FakeReceived malformed = new FakeReceived(Map.of("step", "x", "d-type", "F32"), (byte) 1);
            assertThatThrownBy(() -> deliver(registry, "headers", malformed)).hasMessageContaining("'x'");
            assertThat(context.getBean(Listeners.class).seen).isEmpty();
        });
    }

    static class Bytes implements TensorArgumentResolver {

        @Override
        public boolean supports(MethodParameter parameter) {
            return parameter.getParameterType() == Long.class;
        }

        @Override
        public Object resolve(MethodParameter parameter, ReceivedTensor tensor) {
            return tensor.tensor().byteLength();
        }
    }

    static class Custom {

        Long seen;

        @TensorListener(id = "custom")
        void take(Long bytes) {
            seen = bytes;
        }
    }

    @Test
    void whenTheApplicationHasAResolverThenItIsAsked() {
        runner.withBean(Bytes.class).withBean(Custom.class).run(context -> {
            deliver(context.getBean(FakeRegistry.class), "custom", FakeReceived.one());
            assertThat(context.getBean(Custom.class).seen).isEqualTo(1L);
        });
    }
}

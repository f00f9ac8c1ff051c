package io.tensorfabric.autoconfigure.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.annotation.TensorHeader;
import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.listener.AckMode;
import io.tensorfabric.listener.InvalidTensorListenerException;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.Acknowledgment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What stops the start of an application with a wrong listener method, and what its developer reads then. */
class ListenerSignatureTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FabricListenerAutoConfiguration.class))
            .withBean(FakeRegistry.class, FakeRegistry::new);

    private void assertFails(Class<?> type, String description, String action) {
        runner.withBean("listeners", type).run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new InvalidTensorListenerFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription())
                    .contains("Bean 'listeners'")
                    .contains("@TensorListener method")
                    .contains("take(")
                    .contains(description);
            assertThat(analysis.getAction()).contains(action);
        });
    }

    static class UnknownParameter {
        @TensorListener
        void take(Tensor tensor, List<String> more) {}
    }

    static class WrongMap {
        @TensorListener
        void take(Map<String, Integer> headers) {}
    }

    static class HeaderOfNoText {
        @TensorListener
        void take(@TensorHeader("step") Tensor step) {}
    }

    static class MissingPrimitive {
        @TensorListener
        void take(@TensorHeader(value = "step", required = false) int step) {}
    }

    static class BadDefault {
        @TensorListener
        void take(@TensorHeader(value = "step", defaultValue = "seven") int step) {}
    }

    @Test
    void whenAParameterDoesNotFitThenTheErrorNamesIt() {
        assertFails(
                UnknownParameter.class,
                "parameter 1 'more' of type java.util.List<java.lang.String>, which a tensor cannot be turned into",
                "TensorArgumentResolver");
        assertFails(WrongMap.class, "parameter 0 'headers'", "Map<String, String>");
        assertFails(HeaderOfNoText.class, "parameter 0 'step'", "as a String");
        assertFails(MissingPrimitive.class, "cannot be null", "wrapper type");
        assertFails(BadDefault.class, "'seven'", "Correct the default value");
    }

    static class Returns {
        @TensorListener
        String take(Tensor tensor) {
            return "";
        }
    }

    static class NoNames {
        @TensorListener(names = {})
        void take(Tensor tensor) {}
    }

    static class AcknowledgesByReturning {
        @TensorListener
        void take(Tensor tensor, Acknowledgment acknowledgment) {}
    }

    static class NeverAcknowledges {
        @TensorListener(ack = AckMode.MANUAL)
        void take(Tensor tensor) {}
    }

    static class Concurrency {
        @TensorListener(concurrency = "many")
        void take(Tensor tensor) {}
    }

    static class AutoStartup {
        @TensorListener(autoStartup = "perhaps")
        void take(Tensor tensor) {}
    }

    static class NoFactory {
        @TensorListener(containerFactory = "gone")
        void take(Tensor tensor) {}
    }

    static class NoErrorHandler {
        @TensorListener(errorHandler = "gone")
        void take(Tensor tensor) {}
    }

    @Test
    void whenTheMethodDoesNotFitThenTheErrorSaysWhyAndWhatToDo() {
        assertFails(Returns.class, "returns String", "return void");
        assertFails(NoNames.class, "no pattern in 'names'", "'names'");
        assertFails(AcknowledgesByReturning.class, "acknowledges by returning", "AckMode.MANUAL");
        assertFails(NeverAcknowledges.class, "nobody could acknowledge", "Add the parameter");
        assertFails(Concurrency.class, "concurrency 'many'", "number");
        assertFails(AutoStartup.class, "autoStartup 'perhaps'", "true or false");
        assertFails(NoFactory.class, "containerFactory 'gone'", "tensorListenerContainerFactory");
        assertFails(NoErrorHandler.class, "errorHandler 'gone'", "Define that bean");
    }

    static class SameId {
        @TensorListener(id = "one")
        void first(Tensor tensor) {}

        @TensorListener(id = "one")
        void second(Tensor tensor) {}
    }

    @Test
    void whenTwoListenersHaveOneIdThenStartFails() {
        runner.withBean(SameId.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidTensorListenerException.class)
                        .hasMessageContaining("Two tensor listeners have the id 'one'"));
    }
}

package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.memory.cuda.CudaWait;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jcuda.driver.CUstream;
import org.junit.jupiter.api.Test;

/** Each step of a spec ends in an option, and leaves the spec that it was called on as it is. */
class FluentSpecTest {

    private static final CudaWait WAIT = CudaWait.stream(new CUstream());

    private static final PushProgress PROGRESS = (placed, total) -> {};

    private final TensorTransferService transfers = (TensorTransferService) Proxy.newProxyInstance(
            TensorTransferService.class.getClassLoader(),
            new Class<?>[] {TensorTransferService.class},
            (proxy, method, arguments) -> {
                if (method.isDefault()) {
                    return InvocationHandler.invokeDefault(proxy, method, arguments);
                }
                throw new UnsupportedOperationException(method.getName());
            });

    @Test
    void whenAPushIsPutTogetherThenEachStepIsAnOption() {
        PushSpec spec = transfers.to("ranker");
        PushOptions options = spec.after(WAIT)
                .onProgress(PROGRESS)
                .checksum()
                .priority(TransferPriority.HIGH)
                .landing(LandingKind.DEVICE)
                .options();
        assertThat(options.after()).isSameAs(WAIT);
        assertThat(options.progress()).isSameAs(PROGRESS);
        assertThat(options.priority()).isEqualTo(TransferPriority.HIGH);
        assertThat(options.landing()).isEqualTo(LandingKind.DEVICE);
        assertThat(spec.options()).isEqualTo(PushOptions.defaults());
    }

    @Test
    void whenAPullOrPutIsPutTogetherThenEachStepIsAnOption() {
        RegionSpec spec = transfers.at("trainer", "weights");
        RegionOptions options = spec.from(4096)
                .deadline(Duration.ofSeconds(3))
                .checksum()
                .receipt(ReceiptLevel.PROCESSED)
                .after(WAIT)
                .onProgress(PROGRESS)
                .priority(TransferPriority.LOW)
                .options();
        assertThat(options)
                .isEqualTo(new RegionOptions(
                        Duration.ofSeconds(3),
                        4096L,
                        ReceiptLevel.PROCESSED,
                        true,
                        PROGRESS,
                        WAIT,
                        TransferPriority.LOW));
        assertThat(spec.options()).isEqualTo(RegionOptions.defaults());
    }

    @Test
    void whenADeadlineIsNotPositiveThenItIsRefusedAtOnce() {
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            assertThatThrownBy(() -> transfers.to("ranker").deadline(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("deadline");
            assertThatThrownBy(() -> transfers.at("ranker", "weights").deadline(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("deadline");
        }
    }

    /** Whoever adds an option adds its step. */
    @Test
    void whenThereIsAnOptionThenThereIsAStep() {
        assertThat(steps(PushSpec.class))
                .contains(
                        "name",
                        "header",
                        "headers",
                        "deadline",
                        "checksum",
                        "receipt",
                        "after",
                        "onProgress",
                        "priority",
                        "landing");
        assertThat(steps(PushSpec.class).size() - 2)
                .as("with name and header, which are no options of their own")
                .isGreaterThanOrEqualTo(PushOptions.class.getRecordComponents().length);
        assertThat(steps(RegionSpec.class)).hasSameSizeAs(RegionOptions.class.getRecordComponents());
    }

    private static Set<String> steps(Class<?> spec) {
        return Stream.of(spec.getDeclaredMethods())
                .filter(method -> method.getReturnType() == spec)
                .filter(method -> !Modifier.isPrivate(method.getModifiers()))
                .map(Method::getName)
                .collect(Collectors.toSet());
    }
}

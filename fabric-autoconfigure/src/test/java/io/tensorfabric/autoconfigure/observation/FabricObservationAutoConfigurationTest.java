package io.tensorfabric.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.observation.PushObservationConvention;
import io.tensorfabric.observation.RegionObservationConvention;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.TensorTransferService;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** Beans of an application that say how its observations are called. */
class FabricObservationAutoConfigurationTest {

    private final List<String> ended = new ArrayList<>();

    private final List<PushOptions> pushed = new ArrayList<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FabricObservationAutoConfiguration.class))
            .withUserConfiguration(Properties.class)
            .withBean(TensorTransferService.class, this::transfers);

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(FabricProperties.class)
    static class Properties {}

    /** Names for what the fabric observes. */
    record Named(String getName) implements PushObservationConvention {}

    /** The same for pulls and puts, as the registry takes it from beans of any application. */
    record NamedRegion(String getName) implements RegionObservationConvention {}

    private TensorTransferService transfers() {
        return (TensorTransferService) Proxy.newProxyInstance(
                TensorTransferService.class.getClassLoader(),
                new Class<?>[] {TensorTransferService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "push" -> {
                        pushed.add((PushOptions) arguments[2]);
                        yield new CompletableFuture<>();
                    }
                    case "pushAll" -> {
                        pushed.add((PushOptions) arguments[2]);
                        yield CompletableFuture.completedFuture(List.of());
                    }
                    case "pull" -> CompletableFuture.completedFuture(null);
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                ended.add(context.getName() + (context.getError() == null ? "" : " failed"));
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    private static CompletableFuture<?> push(TensorTransferService transfers) {
        try (Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(1), new byte[1])) {
            return transfers.push("ranker", tensor, PushOptions.defaults().withHeaders(Map.of("k", "v")));
        }
    }

    @Test
    void whenTheApplicationHasConventionsThenTheyReplaceTheDefaults() {
        ObservationRegistry registry = registry();
        registry.observationConfig().observationConvention(new NamedRegion("app.read"));
        runner.withBean(ObservationRegistry.class, () -> registry)
                .withBean(PushObservationConvention.class, () -> new Named("app.push"))
                .run(context -> {
                    TensorTransferService transfers = context.getBean(TensorTransferService.class);
                    CompletableFuture<?> push = push(transfers);
                    assertThat(ended).isEmpty();
                    push.completeExceptionally(new IllegalStateException("lost"));
                    transfers.at("ranker", "weights").pull();
                });
        assertThat(ended).containsExactly("app.push failed", "app.read");
    }

    @Test
    void whenSeveralArePushedTogetherThenTheyAreOneObservationWithAllTheirBytes() {
        ObservationRegistry registry = registry();
        List<String> keys = new ArrayList<>();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                context.getHighCardinalityKeyValues().forEach(key -> keys.add(key.getKey() + "=" + key.getValue()));
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        runner.withBean(ObservationRegistry.class, () -> registry).run(context -> {
            TensorTransferService transfers = context.getBean(TensorTransferService.class);
            try (Tensor one = Tensor.copyOf("one", DataType.U8, Shape.of(1), new byte[1]);
                    Tensor two = Tensor.copyOf("two", DataType.U8, Shape.of(2), new byte[2])) {
                transfers.to("ranker").pushAllAndWait(List.of(one, two));
                transfers.to("ranker").pushAllAndWait(List.of(two));
                transfers.to("ranker").pushAllAndWait(List.of());
            }
        });
        assertThat(ended).containsExactly("fabric.push", "fabric.push");
        assertThat(keys)
                .containsExactlyInAnyOrder(
                        "fabric.tensor=one and 1 more", "fabric.bytes=3", "fabric.tensor=two", "fabric.bytes=2");
    }

    @Test
    void whenAPushIsCancelledThenItsObservationEnds() {
        runner.withBean(ObservationRegistry.class, this::registry).run(context -> {
            assertThat(push(context.getBean(TensorTransferService.class)).cancel(false))
                    .isTrue();
            assertThat(ended).containsExactly("fabric.push failed");
        });
    }

    @Test
    void whenNothingObservesOrItIsSwitchedOffThenTheServiceIsTheApplicationsOwn() {
        runner.run(context ->
                assertThat(context.getBean(TensorTransferService.class)).isNotInstanceOf(ObservedTransfers.class));
        runner.withBean(ObservationRegistry.class, this::registry)
                .withPropertyValues("fabric.observation.enabled=false")
                .run(context -> assertThat(context.getBean(TensorTransferService.class))
                        .isNotInstanceOf(ObservedTransfers.class));
        runner.withBean(ObservationRegistry.class, () -> ObservationRegistry.NOOP)
                .run(context -> push(context.getBean(TensorTransferService.class)));
        assertThat(ended).isEmpty();
        assertThat(pushed).extracting(PushOptions::headers).containsExactly(Map.of("k", "v"));
    }

    @Test
    void whenBootSwitchesAllOfItOffThenNothingIsMadeOfIt() {
        ApplicationContextRunner observed = runner.withBean(ObservationRegistry.class, this::registry);
        observed.withPropertyValues("management.observations.enable.fabric=false")
                .run(context -> assertThat(context.getBean(TensorTransferService.class))
                        .isNotInstanceOf(ObservedTransfers.class));
        observed.withPropertyValues("management.observations.enable.all=false")
                .run(context -> assertThat(context.getBean(TensorTransferService.class))
                        .isNotInstanceOf(ObservedTransfers.class));
    }

    @Test
    void whenBootSwitchesAPartOffOrNamesAreTheApplicationsOwnThenItStaysObserved() {
        ApplicationContextRunner observed = runner.withBean(ObservationRegistry.class, this::registry);
        observed.withPropertyValues("management.observations.enable.fabric.push=false")
                .run(context ->
                        assertThat(context.getBean(TensorTransferService.class)).isInstanceOf(ObservedTransfers.class));
        observed.withPropertyValues(
                        "management.observations.enable.fabric=false",
                        "management.observations.enable.fabric.pull=true")
                .run(context ->
                        assertThat(context.getBean(TensorTransferService.class)).isInstanceOf(ObservedTransfers.class));
        observed.withPropertyValues("management.observations.enable.fabric=false")
                .withBean(PushObservationConvention.class, () -> new Named("app.push"))
                .run(context ->
                        assertThat(context.getBean(TensorTransferService.class)).isInstanceOf(ObservedTransfers.class));
    }
}

package io.tensorfabric.autoconfigure.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.event.FabricEventAutoConfiguration;
import io.tensorfabric.autoconfigure.listener.FabricListenerAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.observation.FabricObservationAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.listener.TensorListenerEndpointRegistry;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorTransferService;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/** An application with the starter is processed ahead of time, and what comes out of that is compiled and runs. */
class AheadOfTimeTest {

    @Test
    @CompileWithForkedClassLoader
    void whenAnApplicationIsProcessedAheadOfTimeThenTheNodeRunsWithoutReadingAnnotations() {
        TestGenerationContext generation = new TestGenerationContext();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            properties(context);
            context.register(Application.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();

        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Listener.class, "onBatch"))
                .as("the listener's method can be called")
                .accepts(generation.getRuntimeHints());
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            GenericApplicationContext context = new GenericApplicationContext();
            properties(context);
            initializer(compiled.getInstance(ApplicationContextInitializer.class))
                    .initialize(context);
            context.refresh();
            try (context) {
                assertThat(context.getBean(TensorTransferService.class).transfers())
                        .isEmpty();
                assertThat(context.getBean(TensorListenerEndpointRegistry.class)
                                .container("early")
                                .isRunning())
                        .isTrue();
            }
        });
    }

    @SuppressWarnings("unchecked") // the generated one is for this kind of context
    private static ApplicationContextInitializer<GenericApplicationContext> initializer(
            ApplicationContextInitializer<?> generated) {
        return (ApplicationContextInitializer<GenericApplicationContext>) generated;
    }

    private static void properties(GenericApplicationContext context) {
        TestPropertyValues.of(
                        "fabric.provider=soft",
                        "fabric.node-id=early-1",
                        "fabric.memory.host.slab-size=8MB",
                        "fabric.memory.host.max-size=32MB")
                .applyTo(context);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({
        FabricDiscoveryAutoConfiguration.class,
        FabricNegotiationClientAutoConfiguration.class,
        FabricResilienceAutoConfiguration.class,
        FabricAutoConfiguration.class,
        FabricEventAutoConfiguration.class,
        FabricListenerAutoConfiguration.class,
        FabricObservationAutoConfiguration.class,
    })
    static class Application {

        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    static class Listener {

        @TensorListener(id = "early", names = "early/*")
        void onBatch(ReceivedTensor batch) {}
    }
}

package io.tensorfabric.autoconfigure.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.listener.AckMode;
import io.tensorfabric.listener.DefaultTensorListenerContainerFactory;
import io.tensorfabric.listener.TensorListenerContainer;
import io.tensorfabric.listener.TensorListenerEndpoint;
import io.tensorfabric.listener.TensorListenerEndpointRegistry;
import io.tensorfabric.listener.TensorListenerErrorHandler;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.TensorListenerRegistry;
import io.tensorfabric.transfer.TensorRefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Timeout(60)
class ListenerContainersTest {

    private final FakeRegistry registry = new FakeRegistry();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FabricListenerAutoConfiguration.class))
            .withBean(FakeRegistry.class, () -> registry);

    static class Listeners {

        final List<Acknowledgment> answers = new ArrayList<>();

        @TensorListener(
                id = "${app.id}",
                names = "${app.names}",
                autoStartup = "${app.start}",
                concurrency = "${app.n}")
        void placeholders(Tensor tensor) {}

        @TensorListener(id = "manual", ack = AckMode.MANUAL)
        void manual(Tensor tensor, Acknowledgment acknowledgment) {
            answers.add(acknowledgment);
        }

        @TensorListener(id = "failing", errorHandler = "lenient")
        void failing(Tensor tensor) {
            throw new IllegalStateException("no model");
        }

        @TensorListener(id = "failing-manual", errorHandler = "lenient", ack = AckMode.MANUAL)
        void failingManual(Tensor tensor, Acknowledgment acknowledgment) {
            throw new IllegalStateException("no model");
        }

        @TensorListener(id = "refusing", errorHandler = "lenient")
        void refusing(Tensor tensor) {
            throw new TensorRefusedException("full", true);
        }
    }

    private ApplicationContextRunner listeners() {
        return runner.withBean("listeners", Listeners.class)
                .withBean("lenient", TensorListenerErrorHandler.class, () -> (failure, tensor) -> {
                    assertThat(tensor.tensor().isClosed()).isFalse();
                    assertThat(failure).hasMessage("no model");
                })
                .withPropertyValues("app.id=held", "app.names=a/*", "app.start=false", "app.n=2");
    }

    @Test
    void whenTheAnnotationHasPlaceholdersThenTheyAreResolved() {
        listeners().run(context -> {
            TensorListenerContainer held =
                    context.getBean(TensorListenerEndpointRegistry.class).container("held");
            assertThat(held.isRunning()).isFalse();
            assertThat(held.endpoint().concurrency()).isEqualTo(2);
            assertThat(registry.entries).doesNotContainKey("held a/* *");
            held.start();
            assertThat(registry.entries).containsKey("held a/* *");
            held.stop();
            assertThat(registry.entries).doesNotContainKey("held a/* *");
        });
    }

    @Test
    void whenAListenerIsPausedThenItsRegistrationsAreUntilItIsResumedOrStopped() {
        listeners().run(context -> {
            TensorListenerContainer manual =
                    context.getBean(TensorListenerEndpointRegistry.class).container("manual");
            manual.pause();
            assertThat(manual.isPaused()).isTrue();
            assertThat(registry.entries.get("manual * *").paused).isTrue();
            manual.resume();
            assertThat(registry.entries.get("manual * *").paused).isFalse();
            manual.pause();
            manual.stop();
            manual.start();
            assertThat(manual.isPaused()).isFalse();
            assertThat(registry.entries.get("manual * *").paused).isFalse();
            manual.stop();
            assertThatThrownBy(manual::pause).hasMessageContaining("is stopped");
        });
    }

    @Test
    void whenTheMethodAcknowledgesThenTheTensorIsOpenUntilItDoes() {
        listeners().run(context -> {
            FakeReceived received = FakeReceived.one();
            registry.receiver("manual * *").receive(received);
            assertThat(received.tensor.isClosed()).isFalse();
            assertThat(received.answer).isNotDone();
            Acknowledgment answer = context.getBean(Listeners.class).answers.get(0);
            answer.acknowledge();
            assertThat(answer.isEnded()).isTrue();
            assertThat(received.tensor.isClosed()).isTrue();
            assertThat(received.answer).isCompleted();
        });
    }

    @Test
    void whenTheErrorHandlerDealsWithAFailureThenTheTensorIsProcessed() {
        listeners().run(context -> {
            FakeReceived automatic = FakeReceived.one();
            registry.receiver("failing * *").receive(automatic);
            assertThat(automatic.tensor.isClosed()).isTrue();
            FakeReceived manual = FakeReceived.one();
            registry.receiver("failing-manual * *").receive(manual);
            assertThat(manual.tensor.isClosed()).isTrue();
            assertThat(manual.answer).isCompleted();
            assertThatThrownBy(() -> registry.receiver("refusing * *").receive(FakeReceived.one()))
                    .isInstanceOf(TensorRefusedException.class);
        });
    }

    @Test
    void whenThereIsOneErrorHandlerThenItIsThatOfAllListeners() {
        List<String> failures = new ArrayList<>();
        runner.withBean(TensorListenerErrorHandler.class, () -> (failure, tensor) -> failures.add(failure.getMessage()))
                .run(context -> {
                    context.getBean(TensorListenerEndpointRegistry.class)
                            .register(TensorListenerEndpoint.of("program", tensor -> {
                                throw new IllegalStateException("first");
                            }));
                    registry.receiver("program * *").receive(FakeReceived.one());
                    assertThat(failures).containsExactly("first");
                });
    }

    @Test
    void whenAListenerIsRegisteredByProgramThenItRunsWithTheApplication() {
        runner.withPropertyValues("fabric.listener.auto-startup=false").run(context -> {
            TensorListenerEndpointRegistry listeners = context.getBean(TensorListenerEndpointRegistry.class);
            TensorListenerEndpoint endpoint = TensorListenerEndpoint.of("program", tensor -> {})
                    .withNames("a", "b")
                    .withPeers("p");
            assertThat(listeners.register(endpoint).isRunning()).isFalse();
            listeners.unregister("program");
            listeners.register(endpoint.withAutoStartup(true));
            assertThat(registry.entries).containsOnlyKeys("program a p", "program b p");
            assertThatThrownBy(() -> listeners.register(endpoint)).hasMessageContaining("Two tensor listeners");
            listeners.stop();
            assertThat(registry.entries).isEmpty();
            listeners.start();
            assertThat(registry.entries).hasSize(2);
            assertThat(listeners.unregister("program")).isTrue();
            assertThat(listeners.unregister("program")).isFalse();
            assertThat(registry.entries).isEmpty();
        });
    }

    @Test
    void whenTheApplicationHasAFactoryOfItsOwnThenListenersThatNameItUseIt() {
        List<String> around = new ArrayList<>();
        class Named {
            @TensorListener(id = "named", containerFactory = "own")
            void take(Tensor tensor) {
                around.add("method");
            }
        }
        runner.withBean(Named.class, Named::new)
                .withInitializer(
                        context -> context.getBeanFactory().registerSingleton("own", decorated(registry, around)))
                .run(context -> {
                    registry.receiver("named * *").receive(FakeReceived.one());
                    assertThat(around).containsExactly("before", "method");
                    assertThat(context).hasBean("tensorListenerContainerFactory");
                });
    }

    private static DefaultTensorListenerContainerFactory decorated(
            TensorListenerRegistry registry, List<String> around) {
        return new DefaultTensorListenerContainerFactory(registry).withDecorator(handler -> (tensor, answer) -> {
            around.add("before");
            handler.handle(tensor, answer);
        });
    }

    @Test
    void whenTheConcurrencyIsLimitedThenNoMoreCallsRunAndTheFabricsThreadIsFree() {
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        runner.withPropertyValues("fabric.listener.concurrency=2").run(context -> {
            context.getBean(TensorListenerEndpointRegistry.class).register(TensorListenerEndpoint.of("two", tensor -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                go.await();
                running.decrementAndGet();
            }));
            List<FakeReceived> tensors = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                FakeReceived received = FakeReceived.one();
                tensors.add(received);
                registry.receiver("two * *").receive(received);
            }
            await().until(() -> running.get() == 2);
            assertThat(tensors).noneMatch(received -> received.answer.isDone());
            go.countDown();
            await().untilAsserted(() -> assertThat(tensors).allSatisfy(received -> {
                assertThat(received.answer).isCompleted();
                assertThat(received.tensor.isClosed()).isTrue();
            }));
            assertThat(most).hasValue(2);
        });
    }

    @Test
    void whenTheApplicationEndsThenStuckCallsAreInterruptedAndWhatWaitsIsRefused() {
        List<FakeReceived> tensors = new ArrayList<>();
        CountDownLatch began = new CountDownLatch(1);
        runner.run(context -> {
            context.getBean(TensorListenerEndpointRegistry.class)
                    .register(TensorListenerEndpoint.of("stuck", tensor -> {
                                began.countDown();
                                new CountDownLatch(1).await();
                            })
                            .withConcurrency(1));
            for (int i = 0; i < 2; i++) {
                FakeReceived received = FakeReceived.one();
                tensors.add(received);
                registry.receiver("stuck * *").receive(received);
            }
            began.await();
        });
        await().until(() -> tensors.stream().allMatch(received -> received.answer.isDone()));
        assertThat(tensors.get(0).answer)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(InterruptedException.class);
        assertThat(tensors.get(1).answer)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(TensorRefusedException.class);
        assertThat(tensors).allMatch(received -> received.tensor.isClosed());
    }

    @Test
    void whenAListenerAcknowledgesByReturningThenItCannotDoSoByHand() {
        TensorListenerEndpoint endpoint = new TensorListenerEndpoint(
                "both",
                List.of("*"),
                List.of("*"),
                null,
                null,
                AckMode.AUTO,
                null,
                (tensor, answer) -> answer.acknowledge());
        runner.run(context -> {
            context.getBean(TensorListenerEndpointRegistry.class).register(endpoint);
            assertThatThrownBy(() -> registry.receiver("both * *").receive(FakeReceived.one()))
                    .hasMessageContaining("AckMode.MANUAL");
        });
    }

    @Test
    void whenAnEndpointMakesNoSenseThenItIsRefused() {
        TensorListenerEndpoint endpoint = TensorListenerEndpoint.of("e", tensor -> {});
        assertThatThrownBy(() -> endpoint.withConcurrency(-1)).hasMessageContaining("'e'");
        assertThatThrownBy(endpoint::withNames).hasMessageContaining("'e' needs a pattern of names");
        assertThatThrownBy(() -> TensorListenerEndpoint.of(" ", tensor -> {})).hasMessageContaining("needs an id");
    }
}

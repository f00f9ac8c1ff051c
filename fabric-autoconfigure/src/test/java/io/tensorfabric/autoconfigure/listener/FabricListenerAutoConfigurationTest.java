package io.tensorfabric.autoconfigure.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorListenerRegistry;
import io.tensorfabric.transfer.TensorReceiver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

class FabricListenerAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FabricListenerAutoConfiguration.class))
            .withBean(FakeRegistry.class, FakeRegistry::new);

    static final class FakeRegistry implements TensorListenerRegistry {

        final Map<String, TensorReceiver> receivers = new LinkedHashMap<>();

        @Override
        public Registration register(String id, String namePattern, String peerPattern, TensorReceiver receiver) {
            String key = id + " " + namePattern + " " + peerPattern;
            receivers.put(key, receiver);
            return () -> receivers.remove(key);
        }
    }

    static class Received implements ReceivedTensor {

        final Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(1), new byte[1]);

        boolean closed;

        @Override
        public long transferId() {
            return 1;
        }

        @Override
        public String peer() {
            return "peer";
        }

        @Override
        public String peerNodeId() {
            return "peer-id";
        }

        @Override
        public Tensor tensor() {
            return tensor;
        }

        @Override
        public Map<String, String> headers() {
            return Map.of();
        }

        @Override
        public Instant arrived() {
            return Instant.EPOCH;
        }

        @Override
        public boolean dedicatedZone() {
            return false;
        }

        @Override
        public void close() {
            closed = true;
            tensor.close();
        }
    }

    static class Listeners {

        final List<String> seen = new ArrayList<>();

        @TensorListener(
                names = {"embeddings/*", "weights"},
                peers = "ranker")
        void whole(ReceivedTensor tensor) {
            assertThat(tensor.tensor().isClosed()).isFalse();
            seen.add("whole");
        }

        @TensorListener(id = "plain")
        public void tensor(Tensor tensor) {
            assertThat(tensor.isClosed()).isFalse();
            seen.add(tensor.name());
        }

        @TensorListener(id = "failing", names = "f")
        private void failing(Tensor tensor) throws java.io.IOException {
            throw new java.io.IOException("no disk");
        }
    }

    @Test
    void whenMethodsAreAnnotatedThenTheyAreRegisteredWhileTheApplicationRuns() {
        FakeRegistry registry = new FakeRegistry();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(FabricListenerAutoConfiguration.class))
                .withBean(FakeRegistry.class, () -> registry)
                .withBean("listeners", Listeners.class)
                .run(context -> assertThat(registry.receivers.keySet())
                        .containsExactlyInAnyOrder(
                                "listeners.whole embeddings/* ranker",
                                "listeners.whole weights ranker",
                                "plain * *",
                                "failing f *"));
        assertThat(registry.receivers).isEmpty();
    }

    @Test
    void whenAMethodReturnsOrThrowsThenTheTensorIsClosed() {
        runner.withBean("listeners", Listeners.class).run(context -> {
            Map<String, TensorReceiver> receivers = context.getBean(FakeRegistry.class).receivers;
            Received received = new Received();
            receivers.get("plain * *").receive(received);
            assertThat(received.closed).isTrue();
            assertThat(context.getBean(Listeners.class).seen).containsExactly("t");
            Received failing = new Received();
            assertThatThrownBy(() -> receivers.get("failing f *").receive(failing))
                    .isInstanceOf(java.io.IOException.class)
                    .hasMessage("no disk");
            assertThat(failing.closed).isTrue();
        });
    }

    @Test
    void whenTheBeanIsProxiedThenCallsGoThroughTheProxy() {
        List<String> intercepted = new ArrayList<>();
        runner.withBean("listeners", ProxiedListeners.class)
                .withBean(ProxyPostProcessor.class, () -> new ProxyPostProcessor(intercepted))
                .run(context -> {
                    Received received = new Received();
                    context.getBean(FakeRegistry.class)
                            .receivers
                            .get("listeners.take * *")
                            .receive(received);
                    assertThat(intercepted).containsExactly("take");
                    assertThat(received.closed).isTrue();
                });
    }

    static class ProxiedListeners {

        @TensorListener
        public void take(Tensor tensor) {}
    }

    static final class ProxyPostProcessor implements BeanPostProcessor, PriorityOrdered {

        private final List<String> intercepted;

        ProxyPostProcessor(List<String> intercepted) {
            this.intercepted = intercepted;
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!(bean instanceof ProxiedListeners)) {
                return bean;
            }
            ProxyFactory factory = new ProxyFactory(bean);
            factory.setProxyTargetClass(true);
            factory.addAdvice((MethodInterceptor) call -> {
                intercepted.add(call.getMethod().getName());
                return call.proceed();
            });
            return factory.getProxy();
        }
    }

    static class TwoParameters {

        @TensorListener
        void take(Tensor tensor, String more) {}
    }

    static class WrongParameter {

        @TensorListener
        void take(byte[] bytes) {}
    }

    static class Returns {

        @TensorListener
        String take(Tensor tensor) {
            return "";
        }
    }

    @Test
    void whenTheSignatureDoesNotFitThenStartFailsAndSaysWhy() {
        assertFails(TwoParameters.class, "must have one parameter");
        assertFails(WrongParameter.class, "must have one parameter");
        assertFails(Returns.class, "must return void");
    }

    private void assertFails(Class<?> type, String message) {
        runner.withUserConfiguration(type)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("@TensorListener method")
                        .hasMessageContaining("take")
                        .hasMessageContaining(message));
    }

    @Configuration(proxyBeanMethods = false)
    static class PrototypeConfiguration {

        @Bean
        @Scope("prototype")
        Listeners listeners() {
            return new Listeners();
        }

        @Bean
        String user(Listeners listeners) {
            return listeners.toString();
        }
    }

    @Test
    void whenTheBeanIsNoSingletonThenStartFails() {
        runner.withUserConfiguration(PrototypeConfiguration.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("must be a singleton"));
    }
}

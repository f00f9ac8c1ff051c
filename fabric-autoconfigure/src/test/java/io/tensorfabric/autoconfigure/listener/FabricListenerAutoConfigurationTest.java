package io.tensorfabric.autoconfigure.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.ReceivedTensor;
import java.util.ArrayList;
import java.util.List;
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
                .run(context -> assertThat(registry.entries.keySet())
                        .containsExactlyInAnyOrder(
                                "listeners.whole embeddings/* ranker",
                                "listeners.whole weights ranker",
                                "plain * *",
                                "failing f *"));
        assertThat(registry.entries).isEmpty();
    }

    @Test
    void whenAMethodReturnsOrThrowsThenTheTensorIsClosed() {
        runner.withBean("listeners", Listeners.class).run(context -> {
            FakeRegistry registry = context.getBean(FakeRegistry.class);
            FakeReceived received = FakeReceived.one();
            registry.receiver("plain * *").receive(received);
            assertThat(received.tensor.isClosed()).isTrue();
            assertThat(received.deferred).isFalse();
            assertThat(context.getBean(Listeners.class).seen).containsExactly("t");
            FakeReceived failing = FakeReceived.one();
            assertThatThrownBy(() -> registry.receiver("failing f *").receive(failing))
                    .isInstanceOf(java.io.IOException.class)
                    .hasMessage("no disk");
            assertThat(failing.tensor.isClosed()).isTrue();
        });
    }

    @Test
    void whenTheBeanIsProxiedThenCallsGoThroughTheProxy() {
        List<String> intercepted = new ArrayList<>();
        runner.withBean("listeners", ProxiedListeners.class)
                .withBean(ProxyPostProcessor.class, () -> new ProxyPostProcessor(intercepted))
                .run(context -> {
                    FakeReceived received = FakeReceived.one();
                    context.getBean(FakeRegistry.class)
                            .receiver("listeners.take * *")
                            .receive(received);
                    assertThat(intercepted).containsExactly("take");
                    assertThat(received.tensor.isClosed()).isTrue();
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

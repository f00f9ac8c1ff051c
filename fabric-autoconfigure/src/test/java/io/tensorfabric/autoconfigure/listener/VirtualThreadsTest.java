package io.tensorfabric.autoconfigure.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.transfer.ReceivedTensor;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Spring Boot's switch for virtual threads counts for listeners with threads of their own. */
class VirtualThreadsTest {

    private static final String SWITCH = "spring.threads.virtual.enabled=";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FabricListenerAutoConfiguration.class))
            .withBean(FakeRegistry.class, FakeRegistry::new)
            .withBean("listeners", Listeners.class);

    static class Listeners {

        private final BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();

        @TensorListener(id = "apart", concurrency = "2")
        void onTensor(ReceivedTensor tensor) {
            threads.add(Thread.currentThread());
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void whenVirtualThreadsAreOnThenListenersRunOnThem() {
        assertThat(runsVirtual(SWITCH + "true")).isTrue();
    }

    @Test
    void whenVirtualThreadsAreOffThenListenersRunOnOthers() {
        assertThat(runsVirtual(SWITCH + "false")).isFalse();
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void whenJavaHasNoneThenTheSwitchIsLeftAlone() {
        assertThat(runsVirtual(SWITCH + "true")).isFalse();
    }

    private boolean runsVirtual(String property) {
        boolean[] virtual = new boolean[1];
        runner.withPropertyValues(property).run(context -> {
            context.getBean(FakeRegistry.class).receiver("apart * *").receive(FakeReceived.one());
            Thread thread = context.getBean(Listeners.class).threads.poll(10, TimeUnit.SECONDS);
            assertThat(thread).isNotNull();
            assertThat(thread.getName()).startsWith("tensor-apart-");
            virtual[0] = isVirtual(thread);
        });
        return virtual[0];
    }

    /** Java 17 does not have the method. */
    private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
        try {
            return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
        } catch (NoSuchMethodException e) {
            return false;
        }
    }
}

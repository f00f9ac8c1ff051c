package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How an idle poller waits, seen by what it does with its queues and its channel. */
@Timeout(20)
class CompletionModeTest {

    private final AtomicLong polls = new AtomicLong();

    private final AtomicLong sleeps = new AtomicLong();

    private final AtomicLong pollsBeforeFirstSleep = new AtomicLong();

    private CompletionChannel channel;

    private static Object call(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private <T> T watched(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "poll" -> polls.incrementAndGet();
                        case "await" -> {
                            if (sleeps.getAndIncrement() == 0) {
                                pollsBeforeFirstSleep.set(polls.get());
                            }
                        }
                        default -> {
                            // Of no interest.
                        }
                    }
                    return call(target, method, arguments);
                }));
    }

    /** The device's own objects know each other only, so they get what is behind the watchers. */
    private VerbsContext watchedContext(VerbsContext context) {
        return (VerbsContext) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {VerbsContext.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "createCompletionChannel" -> {
                            channel = (CompletionChannel) call(context, method, arguments);
                            return watched(CompletionChannel.class, channel);
                        }
                        case "createCompletionQueue" -> {
                            return watched(
                                    CompletionQueue.class,
                                    context.createCompletionQueue((Integer) arguments[0], channel));
                        }
                        default -> {
                            return call(context, method, arguments);
                        }
                    }
                });
    }

    private void run(FabricDeviceOptions.Builder options, Runnable check) {
        try (VerbsContext context = new SoftVerbsProvider(SoftDeviceOptions.defaults())
                .devices()
                .get(0)
                .open()) {
            CompletionPoller poller = new CompletionPoller(
                    "poller-0", watchedContext(context), new CompletionRouter(), options.build(), () -> {});
            poller.start();
            try {
                check.run();
                // A task reaches it however it waits.
                assertThat(poller.barrier(Duration.ofSeconds(10))).isTrue();
            } finally {
                poller.close();
            }
        }
    }

    @Test
    void whenTheModeIsSpinThenAnIdlePollerNeverSleeps() {
        run(FabricDeviceOptions.builder().mode(CompletionMode.SPIN).spin(Duration.ZERO), () -> {
            await().until(() -> polls.get() > 100_000);
            assertThat(sleeps).hasValue(0);
        });
    }

    @Test
    void whenTheModeIsEventThenAnIdlePollerSleepsAtOnce() {
        run(FabricDeviceOptions.builder().mode(CompletionMode.EVENT).spin(Duration.ofHours(1)), () -> {
            await().until(() -> sleeps.get() > 0);
            // Both queues once, and both again after they were armed.
            assertThat(pollsBeforeFirstSleep).hasValueLessThanOrEqualTo(4);
        });
    }

    @Test
    void whenTheModeIsAdaptiveThenAnIdlePollerSleepsAfterItsSpin() {
        long start = System.nanoTime();
        run(FabricDeviceOptions.builder().spin(Duration.ofMillis(30)), () -> {
            await().until(() -> sleeps.get() > 0);
            assertThat(System.nanoTime() - start).isGreaterThan(30_000_000);
            assertThat(pollsBeforeFirstSleep).hasValueGreaterThan(4);
        });
    }
}

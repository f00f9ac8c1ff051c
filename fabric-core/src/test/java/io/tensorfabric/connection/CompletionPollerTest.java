package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompletionPollerTest {

    /** Names of threads that asked to run near the device. */
    private final Set<String> bound = ConcurrentHashMap.newKeySet();

    private VerbsContext watched(VerbsContext context) {
        return (VerbsContext) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {VerbsContext.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("bindThread")) {
                        bound.add(Thread.currentThread().getName());
                        return "0-7";
                    }
                    return method.invoke(context, arguments);
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenAffinityIsAskedForThenThePollerRunsNearTheDevice(boolean affinity) {
        FabricDeviceOptions options =
                FabricDeviceOptions.builder().numaAffinity(affinity).build();
        try (VerbsContext context = new SoftVerbsProvider(SoftDeviceOptions.defaults())
                .devices()
                .get(0)
                .open()) {
            CompletionPoller poller =
                    new CompletionPoller("poller-0", watched(context), new CompletionRouter(), options, () -> {});
            poller.start();
            try {
                await().until(() -> poller.barrier(Duration.ofSeconds(10)));
                assertThat(bound).isEqualTo(affinity ? Set.of("poller-0") : Set.of());
            } finally {
                poller.close();
            }
        }
    }
}

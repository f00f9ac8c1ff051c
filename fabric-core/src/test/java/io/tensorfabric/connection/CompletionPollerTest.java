package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
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

    @Test
    void whenATaskIsForTheEndOfABatchThenItRunsOnceAfterTheCompletionsThatCameTogether() throws Exception {
        try (TwoNodes nodes = TwoNodes.start()) {
            Connection connection = nodes.connect();
            assertThat(connection.afterBatch(() -> {})).as("on another thread").isFalse();
            Lane lane = connection.lanes().get(1);
            List<String> seen = new CopyOnWriteArrayList<>();
            CountDownLatch ended = new CountDownLatch(2);
            TransmissionListener listener = (on, token, status, vendorError) -> {
                seen.add("completed");
                boolean later = connection.afterBatch(() -> {
                    seen.add("after");
                    ended.countDown();
                });
                seen.add(later ? "later" : "refused");
            };
            for (int i = 0; i < 2; i++) {
                Transmission transmission = Sends.begin(lane, 1, true);
                transmission.message(Sends.TYPE).putLong(i);
                transmission.submit(listener, i);
            }
            assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(seen)
                    .hasSize(6)
                    .containsSubsequence("completed", "later", "after")
                    .endsWith("after");
            assertThat(seen).doesNotContain("refused");
            // One batch or two: in each, what is for its end comes after all of it.
            assertThat(seen.subList(0, 2)).containsExactly("completed", "later");
            assertThat(connection.state()).isEqualTo(ConnectionState.UP);
        }
    }
}

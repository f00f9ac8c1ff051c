package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.testing.TwoNodes;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IdleConnectionTest {

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private Set<Long> pollers() {
        Set<Long> ids = new HashSet<>();
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith("fabric-cq-")) {
                ids.add(thread.getThreadId());
            }
        }
        return ids;
    }

    private long cpuMillis(Set<Long> ids) {
        return TimeUnit.NANOSECONDS.toMillis(
                ids.stream().mapToLong(threads::getThreadCpuTime).sum());
    }

    /** Heartbeats come faster than the pollers would tire of polling, were it for users. */
    @Test
    void whenOnlyHeartbeatsComeThenPollersSleep() throws Exception {
        Set<Long> others = pollers();
        FabricDeviceOptions device = FabricDeviceOptions.builder()
                .mode(CompletionMode.ADAPTIVE)
                .spin(Duration.ofMillis(100))
                .build();
        ConnectionOptions options =
                TwoNodes.quickOptions().heartbeatInterval(Duration.ofMillis(20)).build();
        try (TwoNodes nodes = TwoNodes.start(node -> node.deviceOptions(device).options(options))) {
            nodes.connect();
            Set<Long> pollers = pollers();
            pollers.removeAll(others);
            assertThat(pollers).hasSize(2);
            // After the polling that the handshake's end may have begun.
            Thread.sleep(200);
            long before = cpuMillis(pollers);
            Thread.sleep(500);
            assertThat(cpuMillis(pollers) - before)
                    .as("milliseconds of 500 that two pollers were busy")
                    .isLessThan(100);
            assertThat(nodes.a().manager().find(TwoNodes.B)).isNotNull();
        }
    }
}

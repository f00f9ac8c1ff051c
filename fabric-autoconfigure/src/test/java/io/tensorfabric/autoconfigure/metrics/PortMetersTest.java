package io.tensorfabric.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.actuate.FabricEndpointAutoConfiguration;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.health.FabricHealthContributorAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Counters of a port, recorded in files that lie where those of the software device would. */
class PortMetersTest {

    @TempDir
    private Path sysfs;

    private ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        FabricAutoConfiguration.class,
                        FabricDiscoveryAutoConfiguration.class,
                        FabricEndpointAutoConfiguration.class,
                        FabricHealthContributorAutoConfiguration.class,
                        FabricMetricsAutoConfiguration.class,
                        FabricNegotiationClientAutoConfiguration.class,
                        FabricResilienceAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(
                        "fabric.provider=soft",
                        "fabric.memory.host.slab-size=8MB",
                        "fabric.memory.host.max-size=32MB",
                        "fabric.diagnostics.sysfs=" + sysfs);
    }

    private void count(String file, long value) throws IOException {
        Path path = sysfs.resolve("class/infiniband/soft0/ports/1").resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, value + "\n");
    }

    @Test
    void whenThePortCountsThenMetersFollowAndEndWithTheFabric() throws IOException {
        count("counters/port_rcv_data", 1000);
        count("counters/port_xmit_packets", 5);
        count("hw_counters/rnr_nak_retry_err", 3);
        runner().run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.get("fabric.port.data")
                            .tags("device", "soft0", "port", "1", "direction", "in")
                            .functionCounter()
                            .count())
                    .isEqualTo(4000);
            assertThat(registry.get("fabric.port.packets")
                            .tags("direction", "out")
                            .functionCounter()
                            .count())
                    .isEqualTo(5);
            count("hw_counters/rnr_nak_retry_err", 9);
            assertThat(registry.get("fabric.port.counter")
                            .tags("name", "rnr_nak_retry_packets_received")
                            .functionCounter()
                            .count())
                    .isEqualTo(9);
            assertThat(registry.find("fabric.port.counter").meters()).hasSize(1);
            context.getBean(PortMeters.class).stop();
            assertThat(registry.getMeters())
                    .noneMatch(meter -> meter.getId().getName().startsWith("fabric.port."));
        });
    }

    @Test
    void whenErrorsGrowThenTheHealthStaysUpAndWarns() throws IOException {
        count("counters/symbol_error", 7);
        runner().run(context -> {
            HealthIndicator indicator = context.getBean(HealthIndicator.class);
            assertThat(indicator.health().getDetails().get("warnings").toString())
                    .doesNotContain("symbol_error");
            count("counters/symbol_error", 9);
            Health health = indicator.health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails().get("warnings").toString())
                    .contains("Port 1 of soft0: symbol_error grew by 2 since ")
                    .contains("cable");
        });
    }

    @Test
    void whenTheDeviceHasNoCountersThenThereAreNoMetersAndNoWarnings() {
        runner().run(context -> {
            assertThat(context.getBean(FabricLifecycle.class).requireNode().warnings())
                    .isEmpty();
            assertThat(context.getBean(MeterRegistry.class).getMeters())
                    .noneMatch(meter -> meter.getId().getName().startsWith("fabric.port."));
        });
    }
}

package io.tensorfabric.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.diagnostics.Symptom;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Health says what to do, in the words of the fault table. */
class HealthRemedyTest {

    private final SoftDeviceOptions device = SoftDeviceOptions.defaults();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    FabricAutoConfiguration.class,
                    FabricDiscoveryAutoConfiguration.class,
                    FabricHealthContributorAutoConfiguration.class,
                    FabricNegotiationClientAutoConfiguration.class,
                    FabricResilienceAutoConfiguration.class))
            .withBean(VerbsProvider.class, () -> new SoftVerbsProvider(device))
            .withPropertyValues("fabric.memory.host.slab-size=8MB", "fabric.memory.host.max-size=32MB");

    @Test
    void whenTheDeviceCannotBeAskedThenTheRemedyIsThatOfTheErrorNumber() {
        runner.run(context -> {
            device.faults().failCall("ibv_query_port", Errno.EIO, 1000);
            Health health = context.getBean(HealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails()).containsEntry("remedy", Errno.EIO.remedy());
            device.faults().clear();
        });
    }

    @Test
    void whenThePortIsDownThenTheWarningSaysHowToBringItUp() {
        runner.run(context -> {
            device.faults().setPortState(1, PortState.DOWN);
            assertThat(context.getBean(FabricLifecycle.class).requireNode().warnings())
                    .anySatisfy(warning -> assertThat(warning)
                            .contains("is DOWN: no transfers until it is ACTIVE")
                            .endsWith(Symptom.PORT_DOWN.remedy()));
        });
    }
}

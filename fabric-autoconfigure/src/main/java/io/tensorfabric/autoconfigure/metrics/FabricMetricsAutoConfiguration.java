package io.tensorfabric.autoconfigure.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.transfer.TransferObserver;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the metrics. */
@AutoConfiguration(
        after = FabricAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({FabricLifecycle.class, MeterRegistry.class})
public final class FabricMetricsAutoConfiguration {

    FabricMetricsAutoConfiguration() {}

    @Bean
    MeterBinder fabricMeterBinder(FabricLifecycle lifecycle) {
        return new FabricMeterBinder(lifecycle);
    }

    @Bean
    PortMeters fabricPortMeters(FabricLifecycle lifecycle, ObjectProvider<MeterRegistry> registry) {
        return new PortMeters(lifecycle, registry::getObject);
    }

    @Bean
    TransferObserver fabricTransferMetrics(ObjectProvider<MeterRegistry> registry) {
        return new TransferMetrics(registry::getObject);
    }
}

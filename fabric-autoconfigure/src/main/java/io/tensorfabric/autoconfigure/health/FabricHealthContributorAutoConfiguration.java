package io.tensorfabric.autoconfigure.health;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import java.time.Clock;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health contributor {@code fabric}. */
@AutoConfiguration(after = FabricAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(FabricLifecycle.class)
public final class FabricHealthContributorAutoConfiguration {

    FabricHealthContributorAutoConfiguration() {}

    @Bean
    @ConditionalOnEnabledHealthIndicator("fabric")
    @ConditionalOnMissingBean(name = "fabricHealthContributor")
    HealthIndicator fabricHealthContributor(FabricLifecycle lifecycle) {
        return new FabricHealthIndicator(lifecycle, Clock.systemUTC());
    }
}

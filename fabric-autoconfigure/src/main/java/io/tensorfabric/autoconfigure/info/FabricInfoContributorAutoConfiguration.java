package io.tensorfabric.autoconfigure.info;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the fabric's part of Actuator's info endpoint. */
@AutoConfiguration(after = FabricAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnClass({InfoContributor.class, ConditionalOnEnabledInfoContributor.class})
@ConditionalOnBean(FabricLifecycle.class)
public final class FabricInfoContributorAutoConfiguration {

    FabricInfoContributorAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnEnabledInfoContributor("fabric")
    FabricInfoContributor fabricInfoContributor(FabricLifecycle lifecycle) {
        return new FabricInfoContributor(lifecycle);
    }
}

package io.tensorfabric.autoconfigure.discovery;

import io.tensorfabric.autoconfigure.FabricProperties;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of peers that a registry knows, through Spring Cloud's {@link DiscoveryClient}. */
@AutoConfiguration(
        beforeName = "io.tensorfabric.autoconfigure.FabricAutoConfiguration",
        afterName = {
            "org.springframework.cloud.client.CommonsClientAutoConfiguration",
            "org.springframework.cloud.client.discovery.composite.CompositeDiscoveryClientAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnClass(DiscoveryClient.class)
@ConditionalOnBean(DiscoveryClient.class)
@EnableConfigurationProperties(FabricProperties.class)
public final class FabricDiscoveryClientAutoConfiguration {

    FabricDiscoveryClientAutoConfiguration() {}

    @Bean(FabricDiscoveryAutoConfiguration.REGISTRY_SOURCE)
    RegistryPeerSource fabricRegistryPeerSource(FabricProperties properties, DiscoveryClient client) {
        return new RegistryPeerSource(client, properties.discovery().services());
    }
}

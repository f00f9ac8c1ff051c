package io.tensorfabric.autoconfigure.actuate;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.autoconfigure.discovery.PeerSources;
import io.tensorfabric.connection.PeerDirectory;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.management.HeapDumpWebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of the Actuator endpoints. */
@AutoConfiguration(
        after = FabricAutoConfiguration.class,
        afterName = "org.springframework.boot.actuate.autoconfigure.management.HeapDumpWebEndpointAutoConfiguration")
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(FabricLifecycle.class)
public final class FabricEndpointAutoConfiguration {

    FabricEndpointAutoConfiguration() {}

    @Bean
    SanitizingFunction fabricSecretSanitizingFunction(FabricProperties properties) {
        return new SecretSanitizingFunction(properties.security().sharedSecret());
    }

    @Bean
    FabricInspector fabricInspector(
            FabricLifecycle lifecycle,
            FabricProperties properties,
            PeerDirectory peers,
            ObjectProvider<PeerSources> sources) {
        return new FabricInspector(lifecycle, properties, peers, sources.getIfAvailable(() -> List::of));
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    FabricEndpoint fabricEndpoint(FabricInspector inspector, FabricLifecycle lifecycle) {
        return new FabricEndpoint(inspector, new PreflightRunner(lifecycle));
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    QueuePairsEndpoint fabricQueuePairsEndpoint(FabricInspector inspector) {
        return new QueuePairsEndpoint(inspector);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    CompletionQueuesEndpoint fabricCompletionQueuesEndpoint(FabricInspector inspector) {
        return new CompletionQueuesEndpoint(inspector);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HeapDumpWebEndpoint.class)
    static class HeapDumpConfiguration {

        @Bean
        @ConditionalOnBean(HeapDumpWebEndpoint.class)
        HeapDumpWarning fabricHeapDumpWarning() {
            return new HeapDumpWarning();
        }
    }
}

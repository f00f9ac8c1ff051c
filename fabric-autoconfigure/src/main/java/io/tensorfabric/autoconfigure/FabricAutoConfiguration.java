package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.ConnectionListener;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NegotiationHandler;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.PeerDirectory;
import io.tensorfabric.connection.PeerPolicy;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.transfer.PeerResilience;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferObserver;
import io.tensorfabric.verbs.VerbsProvider;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the fabric. The beans are made without touching any device; {@link FabricLifecycle} does that. A
 * {@link VerbsProvider} bean replaces the selection by property.
 */
@AutoConfiguration(
        afterName = {
            "io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration",
            "io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration",
            "io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FabricProperties.class)
public final class FabricAutoConfiguration {

    private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

    FabricAutoConfiguration() {}

    @Bean
    static BootVersionCheck fabricBootVersionCheck() {
        return new BootVersionCheck(SpringBootVersion.getVersion());
    }

    @Bean
    static PeerKeysCheck fabricPeerKeysCheck(Environment environment) {
        return new PeerKeysCheck(environment);
    }

    @Bean
    static UnitsCheck fabricUnitsCheck(Environment environment) {
        return new UnitsCheck(environment);
    }

    @Bean
    static ConnectionDetailsMerger fabricConnectionDetailsMerger(ObjectProvider<FabricConnectionDetails> connections) {
        return new ConnectionDetailsMerger(connections);
    }

    @Bean
    @ConditionalOnMissingBean
    NodeIdentity fabricNodeIdentity(FabricProperties properties, Environment environment) {
        return NodeIdentities.identity(properties, environment);
    }

    @Bean
    @ConditionalOnMissingBean
    PeerPolicy fabricPeerPolicy(FabricProperties properties) {
        return new PropertiesPeerPolicy(properties.security().allowedPeers());
    }

    @Bean
    FabricListeners fabricTensorListenerRegistry() {
        return new FabricListeners();
    }

    @Bean
    FabricLifecycle fabricLifecycle(
            FabricProperties properties,
            NodeIdentity identity,
            PeerDirectory peers,
            ObjectProvider<NegotiationClient> client,
            PeerPolicy policy,
            PeerResilience resilience,
            FabricListeners listeners,
            ObjectProvider<VerbsProvider> provider,
            ObjectProvider<TransferObserver> transferObservers,
            ObjectProvider<ConnectionListener> connectionListeners,
            Environment environment) {
        return new FabricLifecycle(
                new FabricNodeFactory(properties, provider.getIfUnique(), peers, required(client), policy, resilience),
                identity,
                listeners,
                new FabricLifecycle.Followers(
                        transferObservers.orderedStream().toList(),
                        connectionListeners.orderedStream().toList()),
                phaseTimeout(environment));
    }

    private static NegotiationClient required(ObjectProvider<NegotiationClient> client) {
        return client.getIfAvailable(() -> {
            throw new FabricUnavailableException(
                    "There is nothing to negotiate with peers by: Spring's RestClient is not on the class path.",
                    "Add spring-boot-restclient, which the starter brings, or define a bean of type NegotiationClient.",
                    null);
        });
    }

    private static Duration phaseTimeout(Environment environment) {
        return environment.getProperty(PHASE_TIMEOUT, Duration.class, Duration.ofSeconds(30));
    }

    /** Within the phase's own time, so that what follows still runs. */
    @Bean
    FabricShutdownGate fabricShutdownGate(FabricLifecycle lifecycle, Environment environment) {
        return new FabricShutdownGate(
                lifecycle, phaseTimeout(environment).dividedBy(10).multipliedBy(8));
    }

    @Bean
    @ConditionalOnMissingBean
    TensorTransferService fabricTensorTransferService(FabricLifecycle lifecycle) {
        return new LifecycleTransfers(lifecycle);
    }

    @Bean
    @ConditionalOnMissingBean
    NegotiationHandler fabricNegotiationHandler(FabricLifecycle lifecycle, NodeIdentity identity) {
        return new LifecycleNegotiation(lifecycle, identity);
    }

    @Bean
    @ConditionalOnMissingBean
    MemoryRegionPool fabricHostPool(FabricLifecycle lifecycle, FabricProperties properties) {
        return new LifecyclePool(lifecycle, FabricNodeFactory.poolOptions(properties));
    }
}

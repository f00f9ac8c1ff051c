package io.tensorfabric.autoconfigure.discovery;

import io.tensorfabric.autoconfigure.DiscoveryProperties;
import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.autoconfigure.FabricUnavailableException;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.PeerDirectory;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of who the peers are. A {@link PeerDirectory} bean replaces it, {@link PeerSource} beans add to it. */
@AutoConfiguration(beforeName = "io.tensorfabric.autoconfigure.FabricAutoConfiguration")
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FabricProperties.class)
public final class FabricDiscoveryAutoConfiguration {

    /** By name, because its class needs Spring Cloud. */
    static final String REGISTRY_SOURCE = "fabricRegistryPeerSource";

    FabricDiscoveryAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    DnsLookup fabricDnsLookup(FabricProperties properties) {
        DiscoveryProperties discovery = properties.discovery();
        return new JndiDnsLookup(
                discovery.dnsServerAddress(), discovery.lookupTimeout(), new SearchDomains(SearchDomains.SYSTEM));
    }

    @Bean
    @ConditionalOnMissingBean(PeerDirectory.class)
    DiscoveredPeers fabricPeerDirectory(
            FabricProperties properties,
            ObjectProvider<NodeIdentity> identity,
            DnsLookup dns,
            ObjectProvider<PeerSource> others,
            BeanFactory beans,
            Environment environment) {
        DiscoveryProperties discovery = properties.discovery();
        checkRegistry(discovery, beans);
        OwnAddresses own = new OwnAddresses(environment);
        List<PeerSource> sources = new ArrayList<>();
        for (DiscoveryProperties.Dns service : discovery.dns()) {
            sources.add(new DnsPeerSource(service, properties.security().allowPlaintext(), dns, own));
        }
        others.orderedStream().forEach(sources::add);
        return new DiscoveredPeers(
                new StaticPeers(properties),
                sources,
                identity.getObject().nodeId(),
                discovery.refreshInterval(),
                discovery.lookupTimeout().multipliedBy(2));
    }

    private static void checkRegistry(DiscoveryProperties discovery, BeanFactory beans) {
        if (!discovery.services().isEmpty() && !beans.containsBean(REGISTRY_SOURCE)) {
            throw new FabricUnavailableException(
                    "The property 'fabric.discovery.services' names services, but there is no DiscoveryClient to look them"
                            + " up with.",
                    "Add Spring Cloud's support for your registry, such as spring-cloud-starter-consul-discovery, or use"
                            + " 'fabric.discovery.dns' or 'fabric.peers'.",
                    null);
        }
    }

    @Bean
    @ConditionalOnMissingBean
    PeerSources fabricPeerSources(ObjectProvider<DiscoveredPeers> peers) {
        return () -> {
            DiscoveredPeers directory = peers.getIfUnique();
            return directory == null ? List.of() : directory.sources();
        };
    }
}

package io.tensorfabric.autoconfigure.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.PeerDirectory;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;

class FabricDiscoveryAutoConfigurationTest {

    private final DnsLookup dns = mock();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    FabricAutoConfiguration.class,
                    FabricDiscoveryAutoConfiguration.class,
                    FabricDiscoveryClientAutoConfiguration.class,
                    FabricNegotiationClientAutoConfiguration.class,
                    FabricResilienceAutoConfiguration.class))
            .withBean(DnsLookup.class, () -> dns)
            .withPropertyValues(
                    "fabric.provider=soft",
                    "fabric.node-id=ranker-0",
                    "fabric.memory.host.slab-size=8MB",
                    "fabric.memory.host.max-size=32MB");

    @Test
    void whenPeersAreListedThenOnlyThoseAreKnown() {
        runner.withPropertyValues("fabric.peers=a=https://a:1")
                .run(context -> assertThat(context.getBean(PeerDirectory.class).peers())
                        .containsExactly(new Peer("a", URI.create("https://a:1"))));
    }

    @Test
    void whenADnsServiceIsConfiguredThenItsMembersJoinTheListedPeersBeforeTheFabricRuns() throws IOException {
        given(dns.services("_https._tcp.rankers"))
                .willReturn(List.of(
                        new DnsLookup.ServiceRecord("ranker-0.rankers", 8443),
                        new DnsLookup.ServiceRecord("ranker-1.rankers", 8443)));
        runner.withPropertyValues(
                        "fabric.peers=a=https://a:1",
                        "fabric.discovery.dns[0].service=rankers",
                        "fabric.discovery.dns[0].port-name=https")
                .run(context -> {
                    assertThat(context.getBean(PeerDirectory.class).peers())
                            .extracting(Peer::name)
                            .containsExactly("a", "ranker-1");
                    assertThat(context.getBean(PeerSources.class).statuses())
                            .singleElement()
                            .satisfies(status -> {
                                assertThat(status.source()).isEqualTo("dns _https._tcp.rankers");
                                assertThat(status.peers()).containsExactly("ranker-1");
                            });
                });
    }

    @Test
    void whenARegistryKnowsServicesThenTheirInstancesArePeers() {
        DiscoveryClient client = mock();
        given(client.description()).willReturn("test");
        given(client.getInstances(anyString())).willReturn(List.of());
        given(client.getInstances("ranker"))
                .willReturn(List.of(
                        new DefaultServiceInstance("host:ranker:8443", "ranker", "h1", 8443, true),
                        new DefaultServiceInstance(
                                "x", "ranker", "h2", 8443, true, Map.of(RegistryPeerSource.NODE_ID, "ranker-7"))));
        runner.withBean(DiscoveryClient.class, () -> client)
                .withPropertyValues("fabric.discovery.services=ranker,feeder")
                .run(context -> assertThat(context.getBean(PeerDirectory.class).peers())
                        .containsExactly(
                                new Peer("host-ranker-8443", URI.create("https://h1:8443")),
                                new Peer("ranker-7", URI.create("https://h2:8443"), "ranker-7")));
    }

    @Test
    void whenSpringCloudIsAbsentThenThereIsNoRegistry() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.cloud"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("fabricRegistryPeerSource"));
    }

    @Test
    void whenServicesAreNamedWithoutARegistryThenTheStartFailsAndSaysWhatIsMissing() {
        runner.withPropertyValues("fabric.discovery.services=ranker")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("fabric.discovery.services")
                        .hasMessageContaining("DiscoveryClient"));
    }

    @Test
    void whenAPropertyMakesNoSenseThenTheStartFailsAndNamesIt() {
        for (String property : List.of(
                "fabric.discovery.refresh-interval=0s",
                "fabric.discovery.lookup-timeout=2m",
                "fabric.discovery.dns-server=dns:0",
                "fabric.discovery.dns[0].port=0",
                "fabric.discovery.dns[0].port-name=HTTPS")) {
            runner.withPropertyValues("fabric.discovery.dns[0].service=rankers", property)
                    .run(context -> assertThat(context.getStartupFailure())
                            .as(property)
                            .rootCause()
                            .hasMessageContaining(
                                    property.substring(0, property.indexOf('=')).replace("[0]", "[]")));
        }
        runner.withPropertyValues("fabric.discovery.dns[0].service=rankers:8443")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("fabric.discovery.dns[].service"));
    }
}

package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.connection.AddressFamily;
import io.tensorfabric.connection.PeerDirectory;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ConnectionDetailsMergerTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    FabricAutoConfiguration.class,
                    FabricDiscoveryAutoConfiguration.class,
                    FabricNegotiationClientAutoConfiguration.class,
                    FabricResilienceAutoConfiguration.class))
            .withPropertyValues(
                    "fabric.provider=soft",
                    "fabric.memory.host.slab-size=8MB",
                    "fabric.memory.host.max-size=32MB",
                    "fabric.peers=ranker=http://127.0.0.1:1,feeder=http://127.0.0.1:2",
                    "fabric.security.shared-secret=the secret of the properties");

    private record Told(
            List<FabricProperties.Peer> peers,
            @Nullable String sharedSecret,
            @Nullable String softAddress) implements FabricConnectionDetails {}

    private static FabricProperties.Peer peer(String name, int port) {
        return new FabricProperties.Peer(name, "http://127.0.0.1:" + port, null);
    }

    @Test
    void whenAConnectionIsToldThenItWinsOverThePropertiesAndTheOtherPeersStay() {
        runner.withBean(
                        FabricConnectionDetails.class,
                        () -> new Told(List.of(peer("ranker", 77)), "the secret of the container", "127.0.0.9"))
                .run(context -> {
                    FabricProperties properties = context.getBean(FabricProperties.class);
                    assertThat(properties.security().sharedSecret()).isEqualTo("the secret of the container");
                    assertThat(properties.soft().bindAddress()).isEqualTo("127.0.0.9");
                    PeerDirectory peers = context.getBean(PeerDirectory.class);
                    assertThat(peers.peers()).hasSize(2);
                    assertThat(peers.find("ranker").uri()).isEqualTo(URI.create("http://127.0.0.1:77"));
                    assertThat(peers.find("feeder").uri()).isEqualTo(URI.create("http://127.0.0.1:2"));
                    assertThat(context.getBean(FabricLifecycle.class)
                                    .requireNode()
                                    .device()
                                    .path(AddressFamily.ANY)
                                    .gid()
                                    .gid()
                                    .toAddress()
                                    .getHostAddress())
                            .isEqualTo("127.0.0.9");
                });
    }

    @Test
    void whenSeveralConnectionsAreToldThenTheyAddUp() {
        runner.withBean("one", FabricConnectionDetails.class, () -> new Told(List.of(peer("one", 1)), null, null))
                .withBean("two", FabricConnectionDetails.class, () -> new Told(List.of(peer("two", 2)), null, null))
                .run(context -> {
                    FabricProperties properties = context.getBean(FabricProperties.class);
                    assertThat(properties.peers())
                            .extracting(FabricProperties.Peer::name)
                            .contains("ranker", "feeder", "one", "two");
                    assertThat(properties.security().sharedSecret()).isEqualTo("the secret of the properties");
                });
    }

    @Test
    void whenConnectionsDisagreeThenTheFailureSaysAboutWhatAndNotTheSecrets() {
        runner.run(context -> {
            FabricProperties properties = context.getBean(FabricProperties.class);
            assertThat(ConnectionDetailsMerger.merge(properties, List.of())).isSameAs(properties);
            assertThatThrownBy(() -> ConnectionDetailsMerger.merge(
                            properties,
                            List.of(
                                    new Told(List.of(), "first secret of these", null),
                                    new Told(List.of(), "second secret of these", null))))
                    .isInstanceOf(FabricUnavailableException.class)
                    .hasMessageContaining("shared secret")
                    .hasMessageNotContaining("of these");
        });
    }
}

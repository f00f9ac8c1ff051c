package io.tensorfabric.autoconfigure.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.autoconfigure.DiscoveryProperties;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.PeerDirectory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.mock.env.MockEnvironment;

@Timeout(60)
class DiscoveredPeersTest {

    private static final Duration INTERVAL = Duration.ofMillis(20);

    private static final Duration FIRST = Duration.ofSeconds(5);

    private final FakeDns dns = new FakeDns();

    private final MockEnvironment environment = new MockEnvironment();

    private @Nullable DiscoveredPeers peers;

    @AfterEach
    void stop() {
        if (peers != null) {
            peers.stop();
        }
    }

    /** Answers what the test says. */
    private static final class FakeDns implements DnsLookup {

        private final Map<String, List<InetAddress>> addresses = new ConcurrentHashMap<>();

        private final Map<String, List<ServiceRecord>> services = new ConcurrentHashMap<>();

        private volatile boolean failing;

        private void addresses(String name, String... literals) throws IOException {
            List<InetAddress> all = new java.util.ArrayList<>();
            for (String literal : literals) {
                all.add(InetAddress.getByName(literal));
            }
            addresses.put(name, all);
        }

        @Override
        public List<InetAddress> addresses(String name) throws IOException {
            fail();
            return addresses.getOrDefault(name, List.of());
        }

        @Override
        public List<ServiceRecord> services(String name) throws IOException {
            fail();
            return services.getOrDefault(name, List.of());
        }

        private void fail() throws IOException {
            if (failing) {
                throw new IOException("no server answered");
            }
        }
    }

    private DnsPeerSource source(DiscoveryProperties.Dns service) {
        return new DnsPeerSource(service, false, dns, new OwnAddresses(environment));
    }

    private DiscoveredPeers started(PeerDirectory configured, PeerSource... sources) {
        DiscoveredPeers made = new DiscoveredPeers(configured, List.of(sources), "ranker-0", INTERVAL, FIRST);
        made.start();
        peers = made;
        return made;
    }

    private static PeerDirectory configured(Peer... all) {
        return new PeerDirectory() {
            @Override
            public @Nullable Peer find(String name) {
                return List.of(all).stream()
                        .filter(peer -> peer.name().equals(name))
                        .findFirst()
                        .orElse(null);
            }

            @Override
            public List<Peer> peers() {
                return List.of(all);
            }
        };
    }

    private static DiscoveryProperties.Dns named() {
        return new DiscoveryProperties.Dns("rankers", "https", 8080, null);
    }

    private static DiscoveryProperties.Dns addressed() {
        return new DiscoveryProperties.Dns("rankers.test", null, 8443, null);
    }

    @Test
    void whenTheDnsNamesMembersThenEachIsAPeerByItsPodNameButThisNodeIsNot() {
        dns.services.put(
                "_https._tcp.rankers",
                List.of(
                        new DnsLookup.ServiceRecord("ranker-0.rankers.ns.svc.test", 8443),
                        new DnsLookup.ServiceRecord("ranker-1.rankers.ns.svc.test", 8443)));
        DiscoveredPeers found = started(configured(), source(named()));
        assertThat(found.peers())
                .containsExactly(new Peer("ranker-1", URI.create("https://ranker-1.rankers.ns.svc.test:8443")));
    }

    @Test
    void whenTheDnsHasAddressesOnlyThenEachIsAPeerByItsAddress() throws IOException {
        dns.addresses("rankers.test", "10.1.2.3", "2001:db8::7");
        DiscoveredPeers found = started(configured(), source(addressed()));
        assertThat(found.peers())
                .containsExactly(
                        new Peer("rankers-10.1.2.3", URI.create("https://10.1.2.3:8443")),
                        new Peer("rankers-2001-db8-0-0-0-0-0-7", URI.create("https://[2001:db8:0:0:0:0:0:7]:8443")));
    }

    @Test
    void whenAnAddressIsThisNodesOwnThenItIsNoPeer() throws IOException {
        environment.setProperty("server.port", "0");
        environment.setProperty("local.server.port", "8443");
        dns.addresses("rankers.test", "127.0.0.1", "10.1.2.3");
        DiscoveredPeers found = started(configured(), source(addressed()));
        assertThat(found.peers()).extracting(Peer::name).containsExactly("rankers-10.1.2.3");
    }

    @Test
    void whenAnotherNodeOfThisMachineHasAnotherPortThenItIsAPeer() throws IOException {
        environment.setProperty("server.port", "9443");
        dns.addresses("rankers.test", "127.0.0.1");
        assertThat(started(configured(), source(addressed())).peers()).hasSize(1);
    }

    @Test
    void whenMembersComeAndGoThenTheDirectoryFollows() throws IOException {
        dns.addresses("rankers.test", "10.1.2.3");
        DiscoveredPeers found = started(configured(), source(addressed()));
        assertThat(found.find("rankers-10.1.2.3")).isNotNull();
        dns.addresses("rankers.test", "10.1.2.4");
        await().untilAsserted(() -> {
            assertThat(found.find("rankers-10.1.2.4")).isNotNull();
            assertThat(found.find("rankers-10.1.2.3")).isNull();
        });
    }

    @Test
    void whenTheDnsFailsThenWhatWasKnownStaysAndTheFailureIsShown() throws IOException {
        dns.addresses("rankers.test", "10.1.2.3");
        DiscoveredPeers found = started(configured(), source(addressed()));
        dns.failing = true;
        await().untilAsserted(() -> assertThat(found.sources()).singleElement().satisfies(status -> {
            assertThat(status.lastFailure()).isEqualTo("no server answered");
            assertThat(status.peers()).containsExactly("rankers-10.1.2.3");
            assertThat(status.lastAnswer()).isNotNull();
        }));
        assertThat(found.find("rankers-10.1.2.3")).isNotNull();
        dns.failing = false;
        await().until(() -> found.sources().get(0).lastFailure() == null);
    }

    @Test
    void whenTheServiceHasNoMembersAnyMoreThenNoneIsKnown() throws IOException {
        dns.addresses("rankers.test", "10.1.2.3");
        DiscoveredPeers found = started(configured(), source(addressed()));
        dns.addresses.clear();
        await().until(() -> found.peers().isEmpty());
    }

    @Test
    void whenAConfiguredPeerHasTheSameNameThenItCounts() {
        Peer mine = new Peer("ranker-1", URI.create("https://elsewhere:1"));
        dns.services.put("_https._tcp.rankers", List.of(new DnsLookup.ServiceRecord("ranker-1.rankers", 8443)));
        DiscoveredPeers found = started(configured(mine), source(named()));
        assertThat(found.peers()).containsExactly(mine);
        assertThat(found.find("ranker-1")).isEqualTo(mine);
    }

    @Test
    void whenASourceThrowsAnythingThenItIsAskedAgain() {
        CountDownLatch asked = new CountDownLatch(3);
        PeerSource bad = new PeerSource() {
            @Override
            public String description() {
                return "bad";
            }

            @Override
            public List<Peer> peers() {
                asked.countDown();
                throw new IllegalStateException("registry is down");
            }
        };
        DiscoveredPeers found = started(configured(), bad);
        await().until(() -> asked.getCount() == 0);
        assertThat(found.sources().get(0).lastFailure()).isEqualTo("registry is down");
    }

    @Test
    void whenASourceHangsThenTheStartAndOtherSourcesGoOn() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        PeerSource hanging = new PeerSource() {
            @Override
            public String description() {
                return "hanging";
            }

            @Override
            public List<Peer> peers() throws IOException {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                return List.of();
            }
        };
        dns.addresses("rankers.test", "10.1.2.3");
        DiscoveredPeers found = new DiscoveredPeers(
                configured(), List.of(hanging, source(addressed())), "me", INTERVAL, Duration.ofMillis(200));
        peers = found;
        found.start();
        await().until(() -> found.find("rankers-10.1.2.3") != null);
        never.countDown();
    }

    @Test
    void whenASourceAnswersNamesThatCannotBeUsedThenTheyAreLeftOut() {
        PeerSource odd = new PeerSource() {
            @Override
            public String description() {
                return "odd";
            }

            @Override
            public List<Peer> peers() {
                return List.of(
                        new Peer("-bad name", URI.create("https://a")), new Peer("good", URI.create("https://b")));
            }
        };
        assertThat(started(configured(), odd).peers()).extracting(Peer::name).containsExactly("good");
    }
}

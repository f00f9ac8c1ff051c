package io.tensorfabric.autoconfigure.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.connection.PeerAddress;
import io.tensorfabric.testing.DnsServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JndiDnsLookupTest {

    private static final Duration TIMEOUT = Duration.ofMillis(600);

    @TempDir
    private Path folder;

    private DnsServer server;

    private JndiDnsLookup dns;

    @BeforeEach
    void start() throws IOException {
        server = new DnsServer();
        Path file = Files.writeString(
                folder.resolve("resolv.conf"), "# of a pod\nsearch default.svc.test svc.test\noptions ndots:5\n");
        dns = new JndiDnsLookup(PeerAddress.parse(server.address(), 53), TIMEOUT, new SearchDomains(file));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void whenANameHasAddressesThenAllOfBothFamiliesAreFound() throws IOException {
        server.setAddresses("rankers.test", "10.1.2.3", "10.1.2.4", "2001:db8::7");
        assertThat(dns.addresses("rankers.test."))
                .extracting(java.net.InetAddress::getHostAddress)
                .containsExactlyInAnyOrder("10.1.2.3", "10.1.2.4", "2001:db8:0:0:0:0:0:7");
    }

    @Test
    void whenAnAddressChangesThenTheNextQuestionFindsTheNewOne() throws IOException {
        server.setAddresses("rankers.test", "10.1.2.3");
        assertThat(dns.addresses("rankers.test.")).hasSize(1);
        server.setAddresses("rankers.test", "10.9.9.9");
        assertThat(dns.addresses("rankers.test."))
                .singleElement()
                .satisfies(address -> assertThat(address.getHostAddress()).isEqualTo("10.9.9.9"));
    }

    @Test
    void whenANameAppearsThenThatItWasUnknownIsNotRemembered() throws IOException {
        assertThat(dns.addresses("late.test.")).isEmpty();
        server.setAddresses("late.test", "10.1.2.3");
        assertThat(dns.addresses("late.test.")).hasSize(1);
    }

    @Test
    void whenAServiceHasRecordsThenTargetsAndPortsAreFound() throws IOException {
        server.setServices(
                "_https._tcp.rankers.default.svc.test", "ranker-0.rankers.test:8443", "ranker-1.rankers.test:1");
        assertThat(dns.services("_https._tcp.rankers"))
                .containsExactlyInAnyOrder(
                        new DnsLookup.ServiceRecord("ranker-0.rankers.test", 8443),
                        new DnsLookup.ServiceRecord("ranker-1.rankers.test", 1));
    }

    @Test
    void whenANameIsShortThenTheSearchDomainsCompleteIt() throws IOException {
        server.setAddresses("rankers.other.svc.test", "10.1.2.3");
        assertThat(dns.addresses("rankers.other")).hasSize(1);
    }

    @Test
    void whenTheServerFailsThenThatIsAnErrorAndNotAnEmptyAnswer() {
        server.setBroken(true);
        assertThatThrownBy(() -> dns.addresses("rankers.test."))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rankers.test")
                .hasMessageContaining("fabric.discovery.dns-server");
    }

    @Test
    void whenTheServerIsSilentThenTheQuestionEndsInTime() {
        server.setSilent(true);
        long begin = System.nanoTime();
        assertThatThrownBy(() -> dns.services("_https._tcp.rankers.")).isInstanceOf(IOException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TIMEOUT.multipliedBy(5));
    }

    @Test
    void whenThereIsNoFileThenNamesAreTakenAsTheyAre() {
        assertThat(new SearchDomains(folder.resolve("absent")).candidates("a.b"))
                .isEqualTo(List.of("a.b."));
    }

    @Test
    void whenANameHasEnoughDotsThenItIsAskedForAsItIsFirst() throws IOException {
        Path file = Files.writeString(folder.resolve("plain"), "search one.test two.test.\n");
        SearchDomains domains = new SearchDomains(file);
        assertThat(domains.candidates("a.b")).containsExactly("a.b.", "a.b.one.test.", "a.b.two.test.");
        assertThat(domains.candidates("a")).containsExactly("a.one.test.", "a.two.test.", "a.");
        assertThat(domains.candidates("a.")).containsExactly("a.");
    }
}

package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.PeerAddress;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * How peers are found that are not listed in "fabric.peers".
 *
 * @param refreshInterval How often the DNS and the registries are asked, so how long a moved peer stays unnoticed at most.
 * @param lookupTimeout Longest time for one question to the DNS, and for the first answers when this node starts.
 * @param dns Services whose members the DNS knows, such as headless services of Kubernetes.
 * @param dnsServer Address of the DNS server, such as "10.96.0.10:53". Without it those of this machine are asked.
 * @param services Ids of services to look up with Spring Cloud's DiscoveryClient.
 */
public record DiscoveryProperties(
        @DefaultValue("5s") @DurationUnit(ChronoUnit.SECONDS)
        Duration refreshInterval,

        @DefaultValue("2s") @DurationUnit(ChronoUnit.SECONDS)
        Duration lookupTimeout,

        @DefaultValue List<Dns> dns,
        @Nullable String dnsServer,
        @DefaultValue List<String> services) {

    static final int DNS_PORT = 53;

    private static final Duration LONGEST_LOOKUP = Duration.ofMinutes(1);

    public DiscoveryProperties {
        PropertyChecks.positive("fabric.discovery.refresh-interval", refreshInterval);
        PropertyChecks.positive("fabric.discovery.lookup-timeout", lookupTimeout);
        PropertyChecks.require(
                "fabric.discovery.lookup-timeout",
                lookupTimeout,
                lookupTimeout.compareTo(LONGEST_LOOKUP) <= 0,
                "It must be at most 1m.");
        if (dnsServer != null) {
            PropertyChecks.checked(
                    "fabric.discovery.dns-server", () -> PeerAddress.parse(String.valueOf(dnsServer), DNS_PORT));
        }
        dns = List.copyOf(dns);
        services = List.copyOf(services);
    }

    /** The DNS server to ask, or {@code null} for those of this machine. */
    public @Nullable PeerAddress dnsServerAddress() {
        return dnsServer == null ? null : PeerAddress.parse(dnsServer, DNS_PORT);
    }

    /**
     * A service whose members the DNS knows.
     *
     * @param service DNS name of the service; search domains of this machine apply.
     * @param portName Name of the service's port. With it SRV records are asked for, which name the members: each is a peer
     *     by the first label of its name, such as the pod's. Without it each address is a peer, called by the first label
     *     of the service and the address.
     * @param port Port of the members; SRV records bring their own.
     * @param scheme Scheme of their urls. Without it https, or http where plaintext is allowed.
     */
    public record Dns(
            String service,
            @Nullable String portName,
            @DefaultValue("8080") int port,
            @Nullable Scheme scheme) {

        private static final Pattern PORT_NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?");

        public Dns {
            PropertyChecks.require(
                    "fabric.discovery.dns[].service", service, service != null && !service.isBlank(), "It is missing.");
            PropertyChecks.host("fabric.discovery.dns[].service", service);
            if (portName != null) {
                PropertyChecks.require(
                        "fabric.discovery.dns[].port-name",
                        portName,
                        PORT_NAME.matcher(portName).matches(),
                        "It must be 1 to 15 lower-case letters, digits and dashes, no dash first or last.");
            }
            PropertyChecks.range("fabric.discovery.dns[].port", port, 1, 65535);
        }
    }

    /** Scheme of a peer's url. */
    public enum Scheme {
        /** With TLS. */
        HTTPS,
        /** Without. */
        HTTP
    }
}

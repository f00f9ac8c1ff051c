package io.tensorfabric.autoconfigure.discovery;

import io.tensorfabric.autoconfigure.DiscoveryProperties;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.PeerAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Members of a service that the DNS knows. SRV records give names that stay when a member moves, and that certificates hold;
 * addresses do for services that have none.
 */
final class DnsPeerSource implements PeerSource {

    private final DiscoveryProperties.Dns service;

    private final String scheme;

    private final DnsLookup dns;

    private final OwnAddresses own;

    DnsPeerSource(DiscoveryProperties.Dns service, boolean allowPlaintext, DnsLookup dns, OwnAddresses own) {
        this.service = service;
        this.scheme = scheme(service.scheme(), allowPlaintext);
        this.dns = dns;
        this.own = own;
    }

    private static String scheme(DiscoveryProperties.@Nullable Scheme scheme, boolean allowPlaintext) {
        if (scheme == null) {
            return allowPlaintext ? "http" : "https";
        }
        return scheme == DiscoveryProperties.Scheme.HTTP ? "http" : "https";
    }

    @Override
    public String description() {
        return "dns " + (service.portName() == null ? service.service() : serviceName(service.portName()));
    }

    private String serviceName(String portName) {
        return "_" + portName + "._tcp." + service.service();
    }

    @Override
    public List<Peer> peers() throws IOException {
        String portName = service.portName();
        return portName == null ? byAddress() : byName(portName);
    }

    private List<Peer> byName(String portName) throws IOException {
        List<Peer> peers = new ArrayList<>();
        for (DnsLookup.ServiceRecord found : dns.services(serviceName(portName))) {
            peers.add(new Peer(firstLabel(found.target()), uri(found.target(), found.port())));
        }
        return peers;
    }

    private List<Peer> byAddress() throws IOException {
        List<Peer> peers = new ArrayList<>();
        for (InetAddress address : dns.addresses(service.service())) {
            if (!own.contains(address, service.port())) {
                String host = address.getHostAddress();
                String name = firstLabel(service.service()) + "-"
                        + host.replace(':', '-').replace('%', '-');
                peers.add(new Peer(name, uri(host, service.port())));
            }
        }
        return peers;
    }

    private static String firstLabel(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    private URI uri(String host, int port) throws IOException {
        try {
            return URI.create(scheme + "://" + new PeerAddress(host, port));
        } catch (IllegalArgumentException ex) {
            throw new IOException("The DNS names a peer that has no address: " + ex.getMessage(), ex);
        }
    }
}

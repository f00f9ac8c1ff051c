package io.tensorfabric.autoconfigure.discovery;

import io.tensorfabric.connection.Peer;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;

/** Instances of services that a registry knows. */
final class RegistryPeerSource implements PeerSource {

    /** Key of an instance's metadata with its node id, which then is the peer's name too, and must be who answers. */
    static final String NODE_ID = "fabric.node-id";

    private final DiscoveryClient client;

    private final List<String> services;

    RegistryPeerSource(DiscoveryClient client, List<String> services) {
        this.client = client;
        this.services = services;
    }

    @Override
    public String description() {
        return "registry " + client.description() + " " + services;
    }

    @Override
    public List<Peer> peers() throws IOException {
        List<Peer> peers = new ArrayList<>();
        for (String service : services) {
            for (ServiceInstance instance : client.getInstances(service)) {
                peers.add(peer(instance));
            }
        }
        return peers;
    }

    private static Peer peer(ServiceInstance instance) throws IOException {
        URI uri = instance.getUri();
        if (uri == null) {
            throw new IOException("An instance of " + instance.getServiceId() + " has no url");
        }
        Map<String, String> metadata = instance.getMetadata();
        @Nullable String nodeId = metadata == null ? null : metadata.get(NODE_ID);
        return new Peer(nodeId == null ? name(instance) : nodeId, uri, nodeId);
    }

    /** Ids of instances hold colons in some registries. */
    private static String name(ServiceInstance instance) {
        String id = instance.getInstanceId();
        String text = id == null || id.isBlank()
                ? instance.getServiceId() + "-" + instance.getHost() + "-" + instance.getPort()
                : id;
        return text.replaceAll("[^A-Za-z0-9._-]", "-").replaceAll("^[^A-Za-z0-9]+", "");
    }
}

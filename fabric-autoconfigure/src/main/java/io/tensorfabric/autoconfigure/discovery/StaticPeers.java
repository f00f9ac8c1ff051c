package io.tensorfabric.autoconfigure.discovery;

import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.connection.Peer;
import io.tensorfabric.connection.PeerDirectory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The peers of the properties. */
final class StaticPeers implements PeerDirectory {

    private final Map<String, Peer> peers = new LinkedHashMap<>();

    StaticPeers(FabricProperties properties) {
        boolean allowPlaintext = properties.security().allowPlaintext();
        for (FabricProperties.Peer peer : properties.peers()) {
            peers.put(peer.name(), new Peer(peer.name(), peer.uri(allowPlaintext), peer.nodeId()));
        }
    }

    @Override
    public @Nullable Peer find(String name) {
        return peers.get(name);
    }

    @Override
    public List<Peer> peers() {
        return List.copyOf(peers.values());
    }
}

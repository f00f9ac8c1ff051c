package io.tensorfabric.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Puts what {@link FabricConnectionDetails} tell into the properties, once and before anybody reads them, so that all who
 * read properties need not know of it.
 */
final class ConnectionDetailsMerger implements BeanPostProcessor {

    private final ObjectProvider<FabricConnectionDetails> connections;

    ConnectionDetailsMerger(ObjectProvider<FabricConnectionDetails> connections) {
        this.connections = connections;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        return bean instanceof FabricProperties properties
                ? merge(properties, connections.orderedStream().toList())
                : bean;
    }

    static FabricProperties merge(FabricProperties properties, List<FabricConnectionDetails> connections) {
        if (connections.isEmpty()) {
            return properties;
        }
        Map<String, FabricProperties.Peer> peers = new LinkedHashMap<>();
        properties.peers().forEach(peer -> peers.put(peer.name(), peer));
        connections.forEach(connection -> connection.peers().forEach(peer -> peers.put(peer.name(), peer)));
        return properties.with(
                new ArrayList<>(peers.values()),
                only("shared secret", connections, FabricConnectionDetails::sharedSecret),
                only("address", connections, FabricConnectionDetails::softAddress));
    }

    private static @Nullable String only(
            String what,
            List<FabricConnectionDetails> connections,
            Function<FabricConnectionDetails, @Nullable String> value) {
        Set<String> values = new LinkedHashSet<>();
        for (FabricConnectionDetails connection : connections) {
            String told = value.apply(connection);
            if (told != null) {
                values.add(told);
            }
        }
        if (values.size() > 1) {
            throw new FabricUnavailableException(
                    "The connections to peers do not agree on one " + what + ", and this node can have one only.",
                    "Give all containers the same, and put them into one network.",
                    null);
        }
        return values.isEmpty() ? null : values.iterator().next();
    }
}

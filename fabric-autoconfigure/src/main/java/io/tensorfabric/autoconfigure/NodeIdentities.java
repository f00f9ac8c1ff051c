package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.NodeIdentity;
import java.util.UUID;
import org.springframework.core.env.Environment;

/** Decides who this node is. */
final class NodeIdentities {

    private NodeIdentities() {}

    static NodeIdentity identity(FabricProperties properties, Environment environment) {
        String nodeId = properties.nodeId();
        return new NodeIdentity(
                nodeId == null ? generated(environment) : nodeId,
                UUID.randomUUID().toString());
    }

    /** Unique without any configuration; a restarted node is then another one to its peers. */
    private static String generated(Environment environment) {
        String application = environment.getProperty("spring.application.name", "");
        String name = application.replaceAll("[^A-Za-z0-9._-]", "-").replaceAll("^[^A-Za-z0-9]+", "");
        String prefix = name.isEmpty() ? "fabric" : name.substring(0, Math.min(name.length(), 64));
        return prefix + "-" + UUID.randomUUID().toString().substring(24);
    }
}

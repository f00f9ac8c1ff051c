package io.tensorfabric.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Peers that something other than the properties knows, such as a container of a test, and what it takes to reach them. Beans
 * of this type win over the properties; several add up.
 */
public interface FabricConnectionDetails extends ConnectionDetails {

    /** The peers; each takes the place of one of the same name in {@code fabric.peers}. */
    List<FabricProperties.Peer> peers();

    /** Secret that the peers share, {@code null} to keep {@code fabric.security.shared-secret}. */
    default @Nullable String sharedSecret() {
        return null;
    }

    /** Address of this machine that the peers' software devices can dial, {@code null} to keep {@code fabric.soft}. */
    default @Nullable String softAddress() {
        return null;
    }
}

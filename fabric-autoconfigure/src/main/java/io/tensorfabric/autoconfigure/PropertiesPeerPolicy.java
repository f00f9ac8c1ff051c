package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.PeerPolicy;
import io.tensorfabric.connection.PeerRight;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The allow-list of the properties: the first entry that covers a node counts. Without any entry all are let in. */
public final class PropertiesPeerPolicy implements PeerPolicy {

    private final List<AllowedPeer> allowed;

    /** A policy of an allow-list. */
    public PropertiesPeerPolicy(List<AllowedPeer> allowed) {
        this.allowed = List.copyOf(allowed);
    }

    @Override
    public Set<PeerRight> rightsOf(String nodeId) {
        if (allowed.isEmpty()) {
            return ALLOW_ALL.rightsOf(nodeId);
        }
        AllowedPeer entry = entry(nodeId);
        return entry == null ? Set.of() : entry.rights();
    }

    /** Name that the certificate of a node must hold. */
    public String certificateOf(String nodeId) {
        AllowedPeer entry = entry(nodeId);
        return entry == null || entry.certificate() == null ? nodeId : entry.certificate();
    }

    private @Nullable AllowedPeer entry(String nodeId) {
        for (AllowedPeer each : allowed) {
            if (each.covers(nodeId)) {
                return each;
            }
        }
        return null;
    }
}

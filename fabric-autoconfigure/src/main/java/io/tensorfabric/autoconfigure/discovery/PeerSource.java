package io.tensorfabric.autoconfigure.discovery;

import io.tensorfabric.connection.Peer;
import java.io.IOException;
import java.util.List;

/**
 * Somebody who knows peers. Beans of this type are asked again and again, each by a thread of its own, every
 * {@code fabric.discovery.refresh-interval}. A peer that is no longer answered is no longer offered for new connections; one
 * that is connected stays so.
 */
public interface PeerSource {

    /** What it is, for people: {@code "dns rankers.example"}. */
    String description();

    /**
     * All peers that are known now, none is an answer too. May block, but not for ever. This node itself may be among them.
     *
     * @throws IOException if it cannot be known now; what was known before then stays
     */
    List<Peer> peers() throws IOException;
}

package io.tensorfabric.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The peers that this node may connect to. Asked anew for every connect: nothing is cached. Thread-safe. */
public interface PeerDirectory {

    /** The peer of a name, or {@code null}. */
    @Nullable Peer find(String name);

    /** All peers. */
    List<Peer> peers();
}

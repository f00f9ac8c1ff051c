package io.tensorfabric.autoconfigure.discovery;

import java.util.List;

/** What the sources of peers answered. For this module only. */
@FunctionalInterface
public interface PeerSources {

    /** The status of each source, in the order in which they count. */
    List<PeerSourceStatus> statuses();
}

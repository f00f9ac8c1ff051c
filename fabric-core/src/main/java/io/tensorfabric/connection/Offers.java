package io.tensorfabric.connection;

import io.tensorfabric.verbs.Mtu;

/** What this node tells of its port. */
final class Offers {

    private Offers() {}

    /** @param reads that this end serves at a time on each lane */
    static PathOffer path(PathDecision path, ConnectionOptions options, int reads) {
        return new PathOffer(
                path.gid().gid().toString(),
                path.lid(),
                mtu(path, options).bytes(),
                path.linkLayer().name(),
                path.gid().type().name(),
                reads);
    }

    /** Largest path MTU that this end takes. */
    static Mtu mtu(PathDecision path, ConnectionOptions options) {
        return Mtu.min(path.activeMtu(), options.link().maxMtu());
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.connection.ConnectionOptions.LinkOptions;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.PathAddress;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of a queue pair with their attributes.
 *
 * @param link settings
 * @param path own port and GID
 * @param reads outstanding READs to allow in each direction
 */
record QueuePairSteps(LinkOptions link, PathDecision path, int reads) {

    /**
     * RESET to INIT.
     *
     * @param remote what the queue pair lets through; whether memory can be reached is decided by its own keys
     */
    void toInit(QueuePair queuePair, Set<AccessFlag> remote) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(path.port())
                .accessFlags(remote)
                .build());
    }

    /** INIT to RTR, to a peer's queue pair. */
    void toRtr(
            QueuePair queuePair,
            Mtu mtu,
            Gid peerGid,
            int peerLid,
            int peerNumber,
            int peerPsn,
            @Nullable String providerAddress) {
        PathAddress address = new PathAddress(
                peerGid,
                peerLid,
                path.gid().index(),
                link.trafficClass(),
                link.serviceLevel(),
                link.hopLimit(),
                providerAddress);
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .path(address)
                .pathMtu(mtu)
                .destinationQpn(peerNumber)
                .receivePsn(peerPsn)
                .maxReadsAsTarget(reads)
                .minRnrTimer(link.minRnrTimer())
                .build());
    }

    /**
     * RTR to RTS.
     *
     * @param peerReads outstanding READs that the peer serves
     */
    void toRts(QueuePair queuePair, int psn, int peerReads) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS)
                .timeout(link.timeout())
                .retryCount(link.retryCount())
                .rnrRetry(link.rnrRetry())
                .sendPsn(psn)
                .maxReadsAsInitiator(Math.max(1, Math.min(reads, peerReads)))
                .build());
    }

    /** Any state to ERR: outstanding work is flushed. */
    static void toError(QueuePair queuePair) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR).build());
    }
}

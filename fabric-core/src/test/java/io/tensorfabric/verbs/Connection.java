package io.tensorfabric.verbs;

import java.util.Random;
import java.util.Set;

/** Attributes that connect two queue pairs, with the values of a sound application unless a test changes them. */
final class Connection {

    private static final Set<AccessFlag> REMOTE = Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);

    /** A fixed seed, so that a failure can be repeated. */
    private static final Random PSNS = new Random(20_26);

    private Set<AccessFlag> access = REMOTE;
    private int timeout = 16;
    private int retryCount = 6;
    private int rnrRetry = 6;
    private int minRnrTimer = 12;
    private int reads = 4;
    private int readsAsTarget = 4;
    private Mtu mtu = Mtu.MTU_4096;

    /** Remote rights of both queue pairs. */
    Connection access(AccessFlag... flags) {
        access = Set.of(flags);
        return this;
    }

    /** About 4.096 us times two to the power of the code, times the retries and one, until the peer counts as dead. */
    Connection timeout(int code, int retries) {
        timeout = code;
        retryCount = retries;
        return this;
    }

    Connection rnrRetry(int retries) {
        rnrRetry = retries;
        return this;
    }

    Connection readDepth(int depth) {
        reads = depth;
        readsAsTarget = depth;
        return this;
    }

    /** The responders serve no READ. */
    Connection servingNoReads() {
        readsAsTarget = 0;
        return this;
    }

    Connection mtu(Mtu largest) {
        mtu = largest;
        return this;
    }

    void connect(Endpoint a, Endpoint b) {
        int psnA = randomPsn();
        int psnB = randomPsn();
        a.queuePair().modify(init(a).build());
        b.queuePair().modify(init(b).build());
        a.queuePair().modify(readyToReceive(a, b, psnB).build());
        b.queuePair().modify(readyToReceive(b, a, psnA).build());
        a.queuePair().modify(readyToSend(psnA).build());
        b.queuePair().modify(readyToSend(psnB).build());
    }

    static int randomPsn() {
        synchronized (PSNS) {
            return PSNS.nextInt(1 << 24);
        }
    }

    QueuePairAttributes.Builder init(Endpoint self) {
        return QueuePairAttributes.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(self.node().port())
                .accessFlags(access);
    }

    QueuePairAttributes.Builder readyToReceive(Endpoint self, Endpoint peer, int receivePsn) {
        return QueuePairAttributes.to(QueuePairState.RTR)
                .path(path(self, peer))
                .pathMtu(mtu(self, peer))
                .destinationQpn(peer.number())
                .receivePsn(receivePsn)
                .maxReadsAsTarget(readsAsTarget)
                .minRnrTimer(minRnrTimer);
    }

    QueuePairAttributes.Builder readyToSend(int sendPsn) {
        return QueuePairAttributes.to(QueuePairState.RTS)
                .timeout(timeout)
                .retryCount(retryCount)
                .rnrRetry(rnrRetry)
                .sendPsn(sendPsn)
                .maxReadsAsInitiator(reads);
    }

    Mtu mtu(Endpoint self, Endpoint peer) {
        return Mtu.min(
                mtu,
                Mtu.min(
                        self.node().portAttributes().activeMtu(),
                        peer.node().portAttributes().activeMtu()));
    }

    static PathAddress path(Endpoint self, Endpoint peer) {
        return new PathAddress(
                peer.node().gid().gid(),
                peer.node().portAttributes().lid(),
                self.node().gid().index(),
                0,
                0,
                64,
                peer.queuePair().providerAddress());
    }
}

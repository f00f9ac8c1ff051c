package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.PathAddress;
import io.tensorfabric.verbs.QueuePairAttribute;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.VerbsException;
import org.jspecify.annotations.Nullable;

/** What a queue pair was configured with. Immutable; unset numbers are 0. */
final class PairConfig {

    /** Nothing configured: {@code RESET}. */
    static final PairConfig EMPTY = new PairConfig();

    private static final int PSN_LIMIT = 1 << 24;

    private QueuePairAttributes attributes =
            QueuePairAttributes.to(QueuePairState.RESET).build();

    private int access;

    private int port;

    private @Nullable SoftAddress peer;

    private int destination;

    private Mtu mtu = Mtu.MTU_4096;

    private int timeout;

    private int retryCount;

    private int rnrRetry;

    private int minRnrTimer;

    private int sendPsn;

    private int receivePsn;

    private int readsAsInitiator;

    private int readsAsTarget;

    private PairConfig() {}

    /**
     * These attributes with changes.
     *
     * @throws VerbsException with {@link Errno#EINVAL} for a value out of range
     */
    PairConfig with(QueuePairAttributes changes, QueuePairState state, Engine engine) {
        PairConfig next = new PairConfig();
        next.attributes = merge(attributes, changes, state);
        next.take(engine);
        if (changes.has(QueuePairAttribute.PATH)
                && !engine.ports().hasGid(next.port, changes.path().sourceGidIndex())) {
            throw invalid("the source GID index " + changes.path().sourceGidIndex() + " is not in the table of port "
                    + next.port);
        }
        return next;
    }

    private static QueuePairAttributes merge(
            QueuePairAttributes old, QueuePairAttributes changes, QueuePairState state) {
        QueuePairAttributes.Builder merged = QueuePairAttributes.builder();
        copy(old, merged);
        copy(changes, merged);
        return merged.state(state).build();
    }

    private static void copy(QueuePairAttributes from, QueuePairAttributes.Builder to) {
        for (QueuePairAttribute attribute : from.mask()) {
            switch (attribute) {
                case STATE -> to.state(from.state());
                case ACCESS_FLAGS -> to.accessFlags(from.accessFlags());
                case PKEY_INDEX -> to.pkeyIndex(from.pkeyIndex());
                case PORT -> to.port(from.port());
                case PATH -> to.path(from.path());
                case PATH_MTU -> to.pathMtu(from.pathMtu());
                case TIMEOUT -> to.timeout(from.timeout());
                case RETRY_COUNT -> to.retryCount(from.retryCount());
                case RNR_RETRY -> to.rnrRetry(from.rnrRetry());
                case RECEIVE_PSN -> to.receivePsn(from.receivePsn());
                case MAX_READS_AS_INITIATOR -> to.maxReadsAsInitiator(from.maxReadsAsInitiator());
                case MIN_RNR_TIMER -> to.minRnrTimer(from.minRnrTimer());
                case SEND_PSN -> to.sendPsn(from.sendPsn());
                case MAX_READS_AS_TARGET -> to.maxReadsAsTarget(from.maxReadsAsTarget());
                case DESTINATION_QPN -> to.destinationQpn(from.destinationQpn());
            }
        }
    }

    private void take(Engine engine) {
        for (QueuePairAttribute attribute : attributes.mask()) {
            switch (attribute) {
                case STATE -> {}
                case ACCESS_FLAGS -> access = AccessFlag.mask(attributes.accessFlags());
                case PKEY_INDEX -> range("the partition key index", attributes.pkeyIndex(), 0, 0);
                case PORT ->
                    port = range(
                            "the port", attributes.port(), 1, engine.ports().count());
                case PATH -> takePath(attributes.path());
                case PATH_MTU -> mtu = attributes.pathMtu();
                case TIMEOUT -> timeout = range("the timeout", attributes.timeout(), 0, 31);
                case RETRY_COUNT -> retryCount = range("the retry count", attributes.retryCount(), 0, 7);
                case RNR_RETRY -> rnrRetry = range("the receiver-not-ready retry count", attributes.rnrRetry(), 0, 7);
                case RECEIVE_PSN -> receivePsn = psn(attributes.receivePsn());
                case MAX_READS_AS_INITIATOR -> readsAsInitiator = reads(attributes.maxReadsAsInitiator(), engine);
                case MIN_RNR_TIMER -> minRnrTimer = range("the RNR timer", attributes.minRnrTimer(), 0, 31);
                case SEND_PSN -> sendPsn = psn(attributes.sendPsn());
                case MAX_READS_AS_TARGET -> readsAsTarget = reads(attributes.maxReadsAsTarget(), engine);
                case DESTINATION_QPN ->
                    destination =
                            range("the destination queue pair number", attributes.destinationQpn(), 0, PSN_LIMIT - 1);
            }
        }
    }

    private void takePath(PathAddress path) {
        String address = path.providerAddress();
        if (address == null) {
            throw invalid("the path has no provider address, by which alone the software device finds its peer");
        }
        try {
            peer = SoftAddress.parse(address);
        } catch (IllegalArgumentException ex) {
            throw invalid(String.valueOf(ex.getMessage()));
        }
        if (!Gid.of(peer.endpoint().getAddress()).equals(path.gid())) {
            // Whoever offers a path must not have this end call somebody else.
            throw invalid("the provider address is of another host than the GID");
        }
        range("the traffic class", path.trafficClass(), 0, 255);
        range("the hop limit", path.hopLimit(), 0, 255);
        range("the service level", path.serviceLevel(), 0, 15);
    }

    private static int psn(int value) {
        return range("the packet sequence number", value, 0, PSN_LIMIT - 1);
    }

    private static int reads(int value, Engine engine) {
        return range(
                "the number of outstanding READs", value, 0, engine.options().maxReads());
    }

    private static int range(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw invalid(what + " must be " + min + " to " + max + ", not " + value);
        }
        return value;
    }

    private static VerbsException invalid(String detail) {
        return new VerbsException("ibv_modify_qp", Errno.EINVAL, detail);
    }

    QueuePairAttributes attributes() {
        return attributes;
    }

    boolean allows(AccessFlag right) {
        return (access & right.bit()) != 0;
    }

    int port() {
        return port;
    }

    @Nullable SoftAddress peer() {
        return peer;
    }

    int destination() {
        return destination;
    }

    Mtu mtu() {
        return mtu;
    }

    /** Nanoseconds of one acknowledgement timeout, 0 for never; 4.096 us times two to the power of the code. */
    long timeoutNanos() {
        return timeout == 0 ? 0 : 4_096L << timeout;
    }

    int retryCount() {
        return retryCount;
    }

    int rnrRetry() {
        return rnrRetry;
    }

    int minRnrTimer() {
        return minRnrTimer;
    }

    int sendPsn() {
        return sendPsn;
    }

    int receivePsn() {
        return receivePsn;
    }

    int readsAsInitiator() {
        return readsAsInitiator;
    }

    int readsAsTarget() {
        return readsAsTarget;
    }
}

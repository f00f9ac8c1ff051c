package io.tensorfabric.verbs;

import java.util.EnumSet;
import java.util.Set;

/** Copies attributes with one less or one more. */
final class AttributeCopy {

    private AttributeCopy() {}

    static QueuePairAttributes without(QueuePairAttributes from, QueuePairAttribute left) {
        Set<QueuePairAttribute> mask = EnumSet.copyOf(from.mask());
        mask.remove(left);
        return copy(from, mask).build();
    }

    /** Adds an attribute with some valid value. */
    static QueuePairAttributes with(QueuePairAttributes from, QueuePairAttribute added) {
        QueuePairAttributes.Builder builder = copy(from, from.mask());
        switch (added) {
            case ACCESS_FLAGS -> builder.accessFlags(Set.of(AccessFlag.REMOTE_READ));
            case PKEY_INDEX -> builder.pkeyIndex(0);
            case PORT -> builder.port(1);
            case PATH_MTU -> builder.pathMtu(Mtu.MTU_1024);
            case RETRY_COUNT -> builder.retryCount(1);
            case SEND_PSN -> builder.sendPsn(1);
            case DESTINATION_QPN -> builder.destinationQpn(17);
            default -> throw new IllegalArgumentException("No value for " + added);
        }
        return builder.build();
    }

    private static QueuePairAttributes.Builder copy(QueuePairAttributes from, Set<QueuePairAttribute> mask) {
        QueuePairAttributes.Builder to = QueuePairAttributes.builder();
        for (QueuePairAttribute attribute : mask) {
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
        return to;
    }
}

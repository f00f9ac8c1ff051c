package io.tensorfabric.verbs;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * Attributes for {@link QueuePair#modify}, {@code struct ibv_qp_attr} with its mask: only attributes that were set take
 * part. Immutable; made by {@link #to(QueuePairState)} or {@link #builder()}.
 */
public final class QueuePairAttributes {

    private final Map<QueuePairAttribute, Object> values;

    private QueuePairAttributes(Map<QueuePairAttribute, Object> values) {
        this.values = values;
    }

    /** Starts from nothing. */
    public static Builder builder() {
        return new Builder();
    }

    /** Starts from a target state. */
    public static Builder to(QueuePairState state) {
        return new Builder().state(state);
    }

    /** The attributes that were set. */
    public Set<QueuePairAttribute> mask() {
        return values.keySet();
    }

    /** Whether an attribute was set. */
    public boolean has(QueuePairAttribute attribute) {
        return values.containsKey(attribute);
    }

    private <T> T get(QueuePairAttribute attribute, Class<T> type) {
        Object value = values.get(attribute);
        if (value == null) {
            throw new IllegalStateException("Attribute " + attribute + " was not set");
        }
        return type.cast(value);
    }

    /** Target state. */
    public QueuePairState state() {
        return get(QueuePairAttribute.STATE, QueuePairState.class);
    }

    /** Remote rights of the peer through this queue pair. */
    @SuppressWarnings("unchecked")
    public Set<AccessFlag> accessFlags() {
        return get(QueuePairAttribute.ACCESS_FLAGS, Set.class);
    }

    /** Index into the partition key table. */
    public int pkeyIndex() {
        return get(QueuePairAttribute.PKEY_INDEX, Integer.class);
    }

    /** Port of the device, counted from 1. */
    public int port() {
        return get(QueuePairAttribute.PORT, Integer.class);
    }

    /** How to reach the peer. */
    public PathAddress path() {
        return get(QueuePairAttribute.PATH, PathAddress.class);
    }

    /** Path MTU, the same at both ends. */
    public Mtu pathMtu() {
        return get(QueuePairAttribute.PATH_MTU, Mtu.class);
    }

    /** Local acknowledgement timeout, 4.096 us times two to the power of this; 0 to 31, 0 waits for ever. */
    public int timeout() {
        return get(QueuePairAttribute.TIMEOUT, Integer.class);
    }

    /** Retries after a lost acknowledgement, 0 to 7; some devices take 7 for "for ever". */
    public int retryCount() {
        return get(QueuePairAttribute.RETRY_COUNT, Integer.class);
    }

    /** Retries after receiver-not-ready, 0 to 7; 7 means for ever. */
    public int rnrRetry() {
        return get(QueuePairAttribute.RNR_RETRY, Integer.class);
    }

    /** First packet sequence number to expect, 24 bits. */
    public int receivePsn() {
        return get(QueuePairAttribute.RECEIVE_PSN, Integer.class);
    }

    /** Outstanding READs that this end may start. */
    public int maxReadsAsInitiator() {
        return get(QueuePairAttribute.MAX_READS_AS_INITIATOR, Integer.class);
    }

    /** Code of the shortest receiver-not-ready wait, 0 to 31; 0 means 655.36 ms, 1 means 10 us. */
    public int minRnrTimer() {
        return get(QueuePairAttribute.MIN_RNR_TIMER, Integer.class);
    }

    /** First packet sequence number to send, 24 bits. */
    public int sendPsn() {
        return get(QueuePairAttribute.SEND_PSN, Integer.class);
    }

    /** Outstanding READs that this end may serve. */
    public int maxReadsAsTarget() {
        return get(QueuePairAttribute.MAX_READS_AS_TARGET, Integer.class);
    }

    /** Queue pair number of the peer. */
    public int destinationQpn() {
        return get(QueuePairAttribute.DESTINATION_QPN, Integer.class);
    }

    @Override
    public String toString() {
        return "QueuePairAttributes" + values;
    }

    /** Collects attributes. Not thread-safe. */
    public static final class Builder {

        private final Map<QueuePairAttribute, Object> values = new EnumMap<>(QueuePairAttribute.class);

        private Builder() {}

        /** Sets the target state. */
        public Builder state(QueuePairState value) {
            values.put(QueuePairAttribute.STATE, value);
            return this;
        }

        /** Sets the remote rights of the peer through this queue pair. */
        public Builder accessFlags(Set<AccessFlag> value) {
            values.put(QueuePairAttribute.ACCESS_FLAGS, Set.copyOf(value));
            return this;
        }

        /** Sets the index into the partition key table. */
        public Builder pkeyIndex(int value) {
            values.put(QueuePairAttribute.PKEY_INDEX, value);
            return this;
        }

        /** Sets the port of the device. */
        public Builder port(int value) {
            values.put(QueuePairAttribute.PORT, value);
            return this;
        }

        /** Sets the how to reach the peer. */
        public Builder path(PathAddress value) {
            values.put(QueuePairAttribute.PATH, value);
            return this;
        }

        /** Sets the path MTU. */
        public Builder pathMtu(Mtu value) {
            values.put(QueuePairAttribute.PATH_MTU, value);
            return this;
        }

        /** Sets the local acknowledgement timeout. */
        public Builder timeout(int value) {
            values.put(QueuePairAttribute.TIMEOUT, value);
            return this;
        }

        /** Sets the retries after a lost acknowledgement. */
        public Builder retryCount(int value) {
            values.put(QueuePairAttribute.RETRY_COUNT, value);
            return this;
        }

        /** Sets the retries after receiver-not-ready. */
        public Builder rnrRetry(int value) {
            values.put(QueuePairAttribute.RNR_RETRY, value);
            return this;
        }

        /** Sets the first packet sequence number to expect. */
        public Builder receivePsn(int value) {
            values.put(QueuePairAttribute.RECEIVE_PSN, value);
            return this;
        }

        /** Sets the outstanding READs that this end may start. */
        public Builder maxReadsAsInitiator(int value) {
            values.put(QueuePairAttribute.MAX_READS_AS_INITIATOR, value);
            return this;
        }

        /** Sets the code of the shortest receiver-not-ready wait. */
        public Builder minRnrTimer(int value) {
            values.put(QueuePairAttribute.MIN_RNR_TIMER, value);
            return this;
        }

        /** Sets the first packet sequence number to send. */
        public Builder sendPsn(int value) {
            values.put(QueuePairAttribute.SEND_PSN, value);
            return this;
        }

        /** Sets the outstanding READs that this end may serve. */
        public Builder maxReadsAsTarget(int value) {
            values.put(QueuePairAttribute.MAX_READS_AS_TARGET, value);
            return this;
        }

        /** Sets the queue pair number of the peer. */
        public Builder destinationQpn(int value) {
            values.put(QueuePairAttribute.DESTINATION_QPN, value);
            return this;
        }

        /** Makes the attributes. */
        public QueuePairAttributes build() {
            return new QueuePairAttributes(new EnumMap<>(values));
        }
    }
}

package io.tensorfabric.verbs;

/** Attributes of {@link QueuePairAttributes} with the bits of {@code enum ibv_qp_attr_mask}. */
public enum QueuePairAttribute {
    STATE(1),
    ACCESS_FLAGS(1 << 3),
    PKEY_INDEX(1 << 4),
    PORT(1 << 5),
    /** The path to the peer, {@code IBV_QP_AV}. */
    PATH(1 << 7),
    PATH_MTU(1 << 8),
    TIMEOUT(1 << 9),
    RETRY_COUNT(1 << 10),
    RNR_RETRY(1 << 11),
    RECEIVE_PSN(1 << 12),
    MAX_READS_AS_INITIATOR(1 << 13),
    MIN_RNR_TIMER(1 << 15),
    SEND_PSN(1 << 16),
    MAX_READS_AS_TARGET(1 << 17),
    DESTINATION_QPN(1 << 20);

    private final int bit;

    QueuePairAttribute(int bit) {
        this.bit = bit;
    }

    /** Bit in {@code enum ibv_qp_attr_mask}. */
    public int bit() {
        return bit;
    }
}

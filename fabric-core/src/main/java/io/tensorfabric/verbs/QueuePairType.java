package io.tensorfabric.verbs;

/** Transport of a queue pair with the numbers of {@code enum ibv_qp_type}. */
public enum QueuePairType {
    /** Reliable connected. */
    RC(2),
    /** Unreliable datagram; not every provider has it. */
    UD(4);

    private final int code;

    QueuePairType(int code) {
        this.code = code;
    }

    /** Number in {@code enum ibv_qp_type}. */
    public int code() {
        return code;
    }
}

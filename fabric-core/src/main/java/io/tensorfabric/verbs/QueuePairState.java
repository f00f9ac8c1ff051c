package io.tensorfabric.verbs;

/** Queue-pair state with the numbers of {@code enum ibv_qp_state}. */
public enum QueuePairState {
    RESET,
    INIT,
    /** Ready to receive. */
    RTR,
    /** Ready to send. */
    RTS,
    /** Send queue drained. */
    SQD,
    /** Send queue error. */
    SQE,
    ERR;

    /** Number in {@code enum ibv_qp_state}. */
    public int code() {
        return ordinal();
    }
}

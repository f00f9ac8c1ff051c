package io.tensorfabric.verbs;

/** Operation of a work completion with the numbers of {@code enum ibv_wc_opcode}. */
public enum WorkCompletionOpcode {
    SEND(0),
    RDMA_WRITE(1),
    RDMA_READ(2),
    BIND_MW(5),
    LOCAL_INV(6),
    RECV(128),
    RECV_RDMA_WITH_IMM(129);

    private final int code;

    WorkCompletionOpcode(int code) {
        this.code = code;
    }

    /** Number in {@code enum ibv_wc_opcode}. */
    public int code() {
        return code;
    }
}

package io.tensorfabric.verbs;

/** Operation of a send work request with the numbers of {@code enum ibv_wr_opcode}. */
public enum Opcode {
    RDMA_WRITE(0),
    RDMA_WRITE_WITH_IMM(1),
    SEND(2),
    SEND_WITH_IMM(3),
    RDMA_READ(4),
    /** Invalidates the key in {@link SendRequests#remote}: unbinds the type-2 window of it. */
    LOCAL_INV(7),
    BIND_MW(8),
    /** A send that also unbinds the receiver's type-2 window whose key it carries in place of an immediate. */
    SEND_WITH_INV(9);

    private final int code;

    Opcode(int code) {
        this.code = code;
    }

    /** Number in {@code enum ibv_wr_opcode}. */
    public int code() {
        return code;
    }

    /**
     * The operation of a number.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Opcode ofCode(int code) {
        for (Opcode opcode : values()) {
            if (opcode.code == code) {
                return opcode;
            }
        }
        throw new IllegalArgumentException("No opcode has number " + code);
    }
}

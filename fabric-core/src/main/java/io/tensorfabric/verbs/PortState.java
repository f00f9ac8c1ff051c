package io.tensorfabric.verbs;

/** Logical port state with the numbers of {@code enum ibv_port_state}. */
public enum PortState {
    NOP(0),
    DOWN(1),
    INIT(2),
    ARMED(3),
    ACTIVE(4),
    ACTIVE_DEFER(5);

    private final int code;

    PortState(int code) {
        this.code = code;
    }

    /** Number in {@code enum ibv_port_state}. */
    public int code() {
        return code;
    }

    /**
     * The state of a number.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static PortState ofCode(int code) {
        for (PortState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        throw new IllegalArgumentException("No port state has number " + code);
    }
}

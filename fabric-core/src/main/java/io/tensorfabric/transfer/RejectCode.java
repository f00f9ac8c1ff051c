package io.tensorfabric.transfer;

/** Why a receiver refused a tensor; the code travels in the answer. Part of the protocol: never renumber. */
enum RejectCode {
    /** No listener fits the tensor's name and the sender. */
    NO_LISTENER(1),
    /** The checksum of what arrived is another one. */
    CHECKSUM(2),
    /** The listener threw. */
    LISTENER_FAILED(3),
    /** Too many tensors wait for listeners, or the listener has no room for it now. */
    BUSY(4),
    /** The receiver shuts down. */
    SHUTTING_DOWN(5),
    /** The listener does not take it. */
    REFUSED(6);

    private final int code;

    RejectCode(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static RejectCode ofCode(int code) {
        for (RejectCode value : values()) {
            if (value.code == code) {
                return value;
            }
        }
        throw new ProtocolViolation("an answer has the unknown code " + code);
    }
}

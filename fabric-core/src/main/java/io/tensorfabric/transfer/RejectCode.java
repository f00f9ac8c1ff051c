package io.tensorfabric.transfer;

/** Why a receiver refused a tensor; the code travels in the answer. Part of the protocol: never renumber. */
enum RejectCode {
    /** No listener fits the tensor's name and the sender. */
    NO_LISTENER(1, TransferException.Kind.REJECTED),
    /** The checksum of what arrived is another one. */
    CHECKSUM(2, TransferException.Kind.REJECTED),
    /** The listener threw. */
    LISTENER_FAILED(3, TransferException.Kind.LISTENER_FAILED),
    /** Too many tensors wait for listeners, or the listener has no room for it now. */
    BUSY(4, TransferException.Kind.BACKPRESSURE),
    /** The receiver shuts down. */
    SHUTTING_DOWN(5, TransferException.Kind.PEER_LOST),
    /** The listener does not take it. */
    REFUSED(6, TransferException.Kind.REJECTED);

    private final int code;

    private final TransferException.Kind kind;

    RejectCode(int code, TransferException.Kind kind) {
        this.code = code;
        this.kind = kind;
    }

    int code() {
        return code;
    }

    /** What the sender's push ends with. */
    TransferException.Kind kind() {
        return kind;
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

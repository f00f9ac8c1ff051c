package io.tensorfabric.verbs;

/**
 * Status of a work completion with the numbers of {@code enum ibv_wc_status}, each with its usual cause and remedy.
 */
public enum WorkCompletionStatus {
    SUCCESS(0, "The work request completed.", "Nothing to do."),
    LOC_LEN_ERR(
            1,
            "The local buffers do not fit the message: a receive was too short, or a message exceeds the port's limit.",
            "Compare the posted lengths with the message size and the port's largest message."),
    LOC_QP_OP_ERR(
            2,
            "The device found the queue pair or the work request inconsistent, on some devices a wrong local key.",
            "Check local keys, element counts and the queue pair's attributes."),
    LOC_EEC_OP_ERR(
            3,
            "Local end-to-end context operation error (reliable datagram only).",
            "Not expected on the transports in use; report it with the device model."),
    LOC_PROT_ERR(
            4,
            "A local buffer lies outside its memory region, the key is wrong or the right is missing.",
            "Check that the buffer is still registered in the protection domain of the queue pair with the needed rights."),
    WR_FLUSH_ERR(
            5,
            "The queue pair was in the error state when the work request came to its turn.",
            "Look for the first error on this queue pair: it is the cause."),
    MW_BIND_ERR(
            6,
            "A memory window could not be bound.",
            "Check that the region allows binding and that the range lies inside it."),
    BAD_RESP_ERR(
            7,
            "The responder sent an answer that does not fit the request.",
            "Check that both ends use the same MTU and packet sequence numbers."),
    LOC_ACCESS_ERR(
            8,
            "A write with immediate reached a receive whose buffer is protected.",
            "Check the rights of the posted receives."),
    REM_INV_REQ_ERR(
            9,
            "The responder refused the request: wrong operation, length, MTU, or reads not allowed.",
            "Compare both ends' access flags, MTU, read limits and message sizes."),
    REM_ACCESS_ERR(
            10,
            "The responder refused the access: wrong key, outside the granted range, or a right is missing.",
            "The grant was probably revoked or the peer restarted: reconnect, and check that offsets lie inside the landing zone."),
    REM_OP_ERR(
            11,
            "The responder could not finish the operation, mostly because its receive was too short or its queue failed.",
            "Look at the peer's log and queue-pair state for the local error there."),
    RETRY_EXC_ERR(
            12,
            "No acknowledgement came within all retries: the peer died, the link is down, or the path (GID, VLAN, MTU) is wrong.",
            "Check that the peer runs, then port state, GID index and type, and the network's loss counters on both ends."),
    RNR_RETRY_EXC_ERR(
            13,
            "The receiver had no receive posted within all retries.",
            "The peer's application is stalled or its receive queue is too small: check its load, receive depth and RNR timer."),
    LOC_RDD_VIOL_ERR(
            14,
            "Local reliable datagram domain violation.",
            "Not expected on the transports in use; report it with the device model."),
    REM_INV_RD_REQ_ERR(
            15,
            "Remote invalid reliable datagram request.",
            "Not expected on the transports in use; report it with the device model."),
    REM_ABORT_ERR(16, "The remote side aborted the operation.", "Look at the peer's log for the reason."),
    INV_EECN_ERR(
            17,
            "Invalid end-to-end context number.",
            "Not expected on the transports in use; report it with the device model."),
    INV_EEC_STATE_ERR(
            18,
            "Invalid end-to-end context state.",
            "Not expected on the transports in use; report it with the device model."),
    FATAL_ERR(19, "The device failed.", "Check the kernel log for the device and reset or replace it."),
    RESP_TIMEOUT_ERR(20, "A response did not come in time.", "Check the peer and the network as for RETRY_EXC_ERR."),
    GENERAL_ERR(21, "An error that fits no other status.", "Look at the vendor error number and the kernel log.");

    private static final WorkCompletionStatus[] BY_CODE = values();

    private final int code;

    private final String cause;

    private final String remedy;

    WorkCompletionStatus(int code, String cause, String remedy) {
        this.code = code;
        this.cause = cause;
        this.remedy = remedy;
    }

    /** Number in {@code enum ibv_wc_status}. */
    public int code() {
        return code;
    }

    /** What it means, in a sentence. */
    public String cause() {
        return cause;
    }

    /** What to do, in a sentence. */
    public String remedy() {
        return remedy;
    }

    /** The status of a number; {@link #GENERAL_ERR} for numbers that are not known. */
    public static WorkCompletionStatus ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : GENERAL_ERR;
    }
}

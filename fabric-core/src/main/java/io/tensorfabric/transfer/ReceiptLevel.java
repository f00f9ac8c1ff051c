package io.tensorfabric.transfer;

/** How far a transfer must have come for its future to complete. */
public enum ReceiptLevel {
    /** Acknowledged by the peer's device. */
    PLACED,
    /** The peer's fabric has the whole tensor and a listener for it. */
    ACCEPTED,
    /** The peer's listener returned without an exception. */
    PROCESSED
}

package io.tensorfabric.autoconfigure.negotiation;

/** Names of the headers that carry the signature of a negotiation call and of its answer. */
final class NegotiationHeaders {

    /** Node id of the sender. */
    static final String NODE = "Fabric-Node";

    /** Node id and incarnation of the node that a request is meant for, {@code id/incarnation}. */
    static final String TARGET = "Fabric-Target";

    /** Milliseconds since 1970 at the sender. */
    static final String TIMESTAMP = "Fabric-Timestamp";

    /** Random text that a sender uses once. */
    static final String NONCE = "Fabric-Nonce";

    /** HMAC-SHA256 in base64url without padding. */
    static final String SIGNATURE = "Fabric-Signature";

    private NegotiationHeaders() {}
}

package io.tensorfabric.transfer;

/** A message of the peer breaks the protocol: the connection that brought it cannot be trusted any more. */
final class ProtocolViolation extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ProtocolViolation(String message) {
        super(message);
    }

    ProtocolViolation(String message, Throwable cause) {
        super(message, cause);
    }

    /** Throws it if something a peer sent is not as it must be. */
    static void unless(boolean fact, String otherwise) {
        if (!fact) {
            throw new ProtocolViolation(otherwise);
        }
    }
}

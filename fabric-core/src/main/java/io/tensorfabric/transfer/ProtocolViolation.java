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
}

package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.connection.ConnectionException;

/** The peer closed the connection without a byte of an answer. */
final class BrokenOffException extends ConnectionException {

    BrokenOffException(String peer, String message, Throwable cause) {
        super(Kind.UNREACHABLE, peer, message, null, cause);
    }
}

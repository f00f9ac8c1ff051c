package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.connection.ConnectionException;

/** The peer is another node, or another start of it, than it was: asking anew who it is may help. */
final class WrongTargetException extends ConnectionException {

    WrongTargetException(String peer, String message) {
        super(Kind.UNREACHABLE, peer, message);
    }
}

package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.connection.Peer;
import java.io.EOFException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.springframework.core.NestedExceptionUtils;

/** Says in words why a peer could not be asked. */
final class TransportFailures {

    private TransportFailures() {}

    static ConnectionException translate(Peer peer, Duration timeout, Exception failure) {
        if (failure.getCause() instanceof ConnectionException refused) {
            return refused;
        }
        String who = "Peer '" + peer.name() + "' at " + peer.uri();
        if (find(failure, UnresolvedAddressException.class) || find(failure, UnknownHostException.class)) {
            return unreachable(
                    peer, who + " has no address: the host name does not resolve. Check the url or DNS", failure);
        }
        if (find(failure, SSLException.class)) {
            return new ConnectionException(
                    Kind.REFUSED,
                    peer.name(),
                    who + " could not be trusted over TLS (" + reason(failure)
                            + "): check its certificate and 'fabric.negotiation.ssl.bundle'",
                    null,
                    failure);
        }
        if (find(failure, HttpTimeoutException.class)) {
            return unreachable(peer, who + " did not answer within " + timeout.toMillis() + " ms", failure);
        }
        if (find(failure, ConnectException.class)) {
            return unreachable(peer, who + " takes no connections: check that it runs and listens there", failure);
        }
        if (find(failure, EOFException.class) || reason(failure).contains("received no bytes")) {
            return new BrokenOffException(peer.name(), who + " closed the connection without an answer", failure);
        }
        return unreachable(peer, who + " broke the negotiation off (" + reason(failure) + ")", failure);
    }

    private static ConnectionException unreachable(Peer peer, String message, Exception cause) {
        return new ConnectionException(Kind.UNREACHABLE, peer.name(), message, null, cause);
    }

    private static boolean find(Throwable failure, Class<? extends Throwable> type) {
        Throwable current = failure;
        for (int depth = 0; current != null && depth < 16; depth++) {
            if (type.isInstance(current)) {
                return true;
            }
            current = current.getCause();
        }
        return false;
    }

    private static String reason(Exception failure) {
        Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
        return ProblemDetails.printable(
                root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage());
    }
}

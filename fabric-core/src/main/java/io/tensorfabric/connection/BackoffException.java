package io.tensorfabric.connection;

import java.time.Duration;

/** No connection was tried, because the last one failed a moment ago; the cause is that failure, where it is known. */
public final class BackoffException extends ConnectionException {

    private static final long serialVersionUID = 1L;

    private final Duration wait;

    BackoffException(Kind kind, String peer, Duration wait, ConnectionException last) {
        super(
                kind,
                peer,
                "Peer " + peer + " failed too often; the next attempt may begin in " + wait.toMillis()
                        + " ms. Last failure: " + last.getMessage(),
                last.status(),
                last);
        this.wait = wait;
    }

    /** Time from the failure of this call until a connection may be tried. */
    public Duration remaining() {
        return wait;
    }
}

package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.PeerAddress;
import java.net.URI;
import java.net.URISyntaxException;

/** Reads the URLs of peers. */
final class PeerUris {

    /** Port of a peer that is written without scheme and port: Spring Boot's own default. */
    static final int DEFAULT_PORT = 8080;

    private static final String PROPERTY = "fabric.peers[].url";

    private PeerUris() {}

    static void check(String url) {
        parse(url, true);
    }

    static URI parse(String url, boolean allowPlaintext) {
        if (!url.contains("://")) {
            return complete(url, allowPlaintext);
        }
        try {
            URI uri = new URI(url);
            PropertyChecks.httpUri(PROPERTY, uri);
            return uri;
        } catch (URISyntaxException ex) {
            throw PropertyChecks.invalid(PROPERTY, url, "It is no URL: " + ex.getReason() + ".");
        }
    }

    private static URI complete(String address, boolean allowPlaintext) {
        try {
            PeerAddress peer = PeerAddress.parse(address, DEFAULT_PORT);
            String scheme = allowPlaintext || LoopbackHosts.contains(peer.host()) ? "http" : "https";
            return URI.create(scheme + "://" + peer);
        } catch (IllegalArgumentException ex) {
            throw PropertyChecks.invalid(PROPERTY, address, ex.getMessage() + ".");
        }
    }
}

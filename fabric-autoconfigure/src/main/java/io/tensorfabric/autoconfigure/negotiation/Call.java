package io.tensorfabric.autoconfigure.negotiation;

import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * A call of a peer, its body read.
 *
 * @param method HTTP method
 * @param path path relative to the negotiation's root, with its slash
 * @param query query string, or {@code null}
 * @param body body, empty when there is none
 * @param headers first value of a header by name; {@code null} when absent
 * @param caller where it comes from
 */
@SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
record Call(String method, String path, @Nullable String query, byte[] body, HeaderLookup headers, Caller caller) {

    /** Looks a header up. */
    @FunctionalInterface
    interface HeaderLookup {

        @Nullable String get(String name);
    }

    /**
     * Where a call comes from.
     *
     * @param address remote address, for the log
     * @param loopback whether it surely comes from this machine and through no proxy
     * @param secure whether it came over TLS
     * @param certificate client certificate that the web server verified, or {@code null}
     */
    record Caller(
            String address,
            boolean loopback,
            boolean secure,
            @Nullable X509Certificate certificate) {}

    /** The first value of a header, or an empty text. */
    String header(String name) {
        String value = headers.get(name);
        return value == null ? "" : value;
    }
}

package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.LoopbackHosts;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.connection.Peer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/**
 * Sends exact bytes to a peer and gets exact bytes back: no redirects, one deadline for connecting, sending, waiting and
 * reading, and a bounded answer. Thread-safe.
 */
final class NegotiationTransport {

    private final RestClient.Builder builder;

    private final Supplier<HttpClient> http;

    private final String root;

    private final boolean allowPlaintext;

    private final int maxAnswerBytes;

    /**
     * A transport.
     *
     * @param builder base of the clients; its request factory is replaced
     * @param http follows no redirects
     * @param root path of the negotiation below a peer's URL
     */
    NegotiationTransport(
            RestClient.Builder builder,
            Supplier<HttpClient> http,
            String root,
            boolean allowPlaintext,
            int maxAnswerBytes) {
        this.builder = builder;
        this.http = http;
        this.root = root;
        this.allowPlaintext = allowPlaintext;
        this.maxAnswerBytes = maxAnswerBytes;
    }

    /**
     * Calls a peer.
     *
     * @param path path relative to the negotiation's root
     * @param body body, or {@code null} for none
     * @throws ConnectionException if there is no answer in time
     */
    Reply send(
            Peer peer,
            HttpMethod method,
            String path,
            byte @Nullable [] body,
            Map<String, String> headers,
            Duration timeout) {
        URI uri = uri(peer, path);
        requireTls(peer, uri);
        requireTime(peer, timeout);
        try {
            RestClient.RequestBodySpec request =
                    client(timeout).method(method).uri(uri).headers(target -> headers.forEach(target::set));
            if (body != null) {
                request = request.contentType(MediaType.APPLICATION_JSON).body(body);
            }
            return request.exchange((sent, response) -> read(peer, response));
        } catch (RestClientException ex) {
            throw TransportFailures.translate(peer, timeout, ex);
        }
    }

    private RestClient client(Duration timeout) {
        JdkClientHttpRequestFactory factory = new JdkClientHttpRequestFactory(http.get());
        factory.setReadTimeout(timeout);
        factory.enableCompression(false);
        return builder.clone().requestFactory(factory).build();
    }

    private Reply read(Peer peer, ClientHttpResponse response) throws IOException {
        byte[] body = response.getBody().readNBytes(maxAnswerBytes + 1);
        if (body.length > maxAnswerBytes) {
            throw new ConnectionException(
                    Kind.REFUSED,
                    peer.name(),
                    "Peer '" + peer.name() + "' at " + peer.uri() + " answered with more than " + maxAnswerBytes
                            + " bytes: that is no fabric node, check the url");
        }
        return new Reply(response.getStatusCode().value(), body, response.getHeaders()::getFirst);
    }

    private URI uri(Peer peer, String path) {
        String base = peer.uri().toString();
        return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + root + path);
    }

    private void requireTls(Peer peer, URI uri) {
        if ("https".equalsIgnoreCase(uri.getScheme()) || allowPlaintext || LoopbackHosts.contains(uri.getHost())) {
            return;
        }
        throw new ConnectionException(
                Kind.REFUSED,
                peer.name(),
                "Peer '" + peer.name() + "' at " + peer.uri() + " would be asked without TLS: use an https url, or set"
                        + " 'fabric.security.allow-plaintext=true' if the network is trusted");
    }

    private static void requireTime(Peer peer, Duration timeout) {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new ConnectionException(
                    Kind.UNREACHABLE, peer.name(), "No time was left to ask peer '" + peer.name() + "'");
        }
    }

    /**
     * An answer of a peer.
     *
     * @param status HTTP status
     * @param body body
     * @param headers looks a header up
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
    record Reply(int status, byte[] body, Call.HeaderLookup headers) {

        String header(String name) {
            String value = headers.get(name);
            return value == null ? "" : value;
        }
    }
}

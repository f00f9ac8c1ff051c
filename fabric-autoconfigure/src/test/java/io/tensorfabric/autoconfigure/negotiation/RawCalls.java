package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.negotiation.MessageSigner.RequestSeal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Calls as a stranger would make them: recorded, changed and sent again. */
final class RawCalls {

    static final String SECRET = "a shared secret of the test";

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private RawCalls() {}

    /** A call, ready to be sent any number of times. */
    record Recorded(String method, String path, byte[] body, Map<String, String> headers) {

        Recorded withBody(byte[] changed) {
            return new Recorded(method, path, changed, headers);
        }

        Recorded with(String header, String value) {
            Map<String, String> changed = new LinkedHashMap<>(headers);
            changed.put(header, value);
            return new Recorded(method, path, body, changed);
        }

        Recorded without(String header) {
            Map<String, String> changed = new LinkedHashMap<>(headers);
            changed.remove(header);
            return new Recorded(method, path, body, changed);
        }

        Recorded withPath(String changed) {
            return new Recorded(method, changed, body, headers);
        }

        HttpResponse<String> send(URI server) throws IOException, InterruptedException {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + "/fabric/v1" + path))
                    .timeout(Duration.ofSeconds(10))
                    .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
            headers.forEach(request::header);
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    static Recorded unsigned(String method, String path, String body) {
        return new Recorded(
                method,
                path,
                body.getBytes(StandardCharsets.UTF_8),
                body.isEmpty() ? Map.of() : Map.of("Content-Type", "application/json"));
    }

    static Recorded signed(
            String secret, String method, String path, byte[] body, String node, String target, long time) {
        RequestSeal seal = new RequestSeal(method, path, time, MessageSigner.nonce(), node, target);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "application/json");
        headers.put("Fabric-Node", node);
        headers.put("Fabric-Target", target);
        headers.put("Fabric-Timestamp", Long.toString(time));
        headers.put("Fabric-Nonce", seal.nonce());
        headers.put("Fabric-Signature", new MessageSigner(secret).sign(seal, body));
        return new Recorded(method, path, body, headers);
    }

    /** Sends bytes on a bare socket and returns what comes until the server closes or the time is over. */
    static String socket(int port, byte[] bytes, Duration timeout) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout((int) timeout.toMillis());
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            ByteArrayOutputStream received = new ByteArrayOutputStream();
            try {
                for (int next = socket.getInputStream().read();
                        next >= 0;
                        next = socket.getInputStream().read()) {
                    received.write(next);
                }
            } catch (SocketTimeoutException ex) {
                received.writeBytes(" - and stays open".getBytes(StandardCharsets.US_ASCII));
            }
            return received.toString(StandardCharsets.ISO_8859_1);
        }
    }
}

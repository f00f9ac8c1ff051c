package io.tensorfabric.chart;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** As much of an API server as templates may ask: which secrets are there. KUBECONFIG leads Helm to it. */
final class FakeCluster {

    private static final String RESOURCES = """
            {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
              {"name": "secrets", "singularName": "secret", "namespaced": true, "kind": "Secret", "verbs": ["get"]}]}
            """;

    private static final String ABSENT = """
            {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
            """;

    private static final Map<String, Map<String, String>> SECRETS = new ConcurrentHashMap<>();

    static {
        start();
    }

    private FakeCluster() {}

    /** Makes sure that it is there; once for the process. */
    static void use() {}

    private static void start() {
        String file = System.getenv("KUBECONFIG");
        if (file == null || !file.contains("target")) {
            throw new IllegalStateException("Run these tests with Maven, which sets KUBECONFIG to a file of theirs");
        }
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", FakeCluster::answer);
            server.start();
            Files.writeString(Path.of(file), """
                    apiVersion: v1
                    kind: Config
                    clusters: [{name: fake, cluster: {server: "http://127.0.0.1:%d"}}]
                    contexts: [{name: fake, context: {cluster: fake, user: fake}}]
                    current-context: fake
                    users: [{name: fake, user: {}}]
                    """.formatted(server.getAddress().getPort()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void answer(HttpExchange call) throws IOException {
        String path = call.getRequestURI().getPath();
        Map<String, String> data = SECRETS.get(path.substring(path.lastIndexOf('/') + 1));
        if (path.equals("/api/v1")) {
            send(call, 200, RESOURCES);
        } else if (path.contains("/secrets/") && data != null) {
            send(
                    call,
                    200,
                    new ObjectMapper()
                            .writeValueAsString(Map.of(
                                    "apiVersion",
                                    "v1",
                                    "kind",
                                    "Secret",
                                    "metadata",
                                    Map.of("name", path.substring(path.lastIndexOf('/') + 1)),
                                    "data",
                                    data)));
        } else {
            send(call, 404, ABSENT);
        }
    }

    private static void send(HttpExchange call, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        call.getResponseHeaders().set("Content-Type", "application/json");
        call.sendResponseHeaders(status, bytes.length);
        call.getResponseBody().write(bytes);
        call.close();
    }

    /** Lets a secret exist, with data in base64. */
    static void setSecret(String name, Map<String, String> data) {
        SECRETS.put(name, data);
    }

    static void clear() {
        SECRETS.clear();
    }
}

package io.tensorfabric.service.demo;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Calls one tensor-service. */
final class ServiceClient {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private static final JsonMapper json = JsonMapper.shared();

    private final String name;

    private final URI base;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();

    ServiceClient(String name, URI base) {
        this.name = name;
        this.base = base;
    }

    String name() {
        return name;
    }

    URI base() {
        return base;
    }

    /** Uploads a file and answers its id. */
    String upload(DemoFile file, Duration timeout) throws IOException, InterruptedException {
        HttpRequest request = request("/api/files?name=" + encode(file.name()), timeout)
                .header("Content-Type", "application/octet-stream")
                .POST(HttpRequest.BodyPublishers.ofFile(file.path()))
                .build();
        return call(request).at("/file/id").asString();
    }

    /** Starts to push all tensors of a file and answers the push's state. */
    JsonNode push(String fileId, String peer, Duration deadline) throws IOException, InterruptedException {
        ObjectNode body = json.createObjectNode()
                .put("peer", peer)
                .put("receipt", "PROCESSED")
                .put("deadline", deadline.toMillis() + "ms");
        HttpRequest request = request("/api/files/" + fileId + "/push", deadline)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json.writeValueAsString(body)))
                .build();
        return call(request);
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return call(request(path, Duration.ofSeconds(30)).GET().build());
    }

    void delete(String path) throws IOException, InterruptedException {
        call(request(path, Duration.ofSeconds(30)).DELETE().build());
    }

    /** Opens the download of a file. */
    InputStream download(String fileId, Duration timeout) throws IOException, InterruptedException {
        HttpRequest request =
                request("/api/files/" + fileId + "/content", timeout).GET().build();
        HttpResponse<InputStream> response = send(request, HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            try (InputStream body = response.body()) {
                throw failure(request, response.statusCode(), new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return response.body();
    }

    private JsonNode call(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw failure(request, response.statusCode(), response.body());
        }
        return response.body().isEmpty() ? json.createObjectNode() : json.readTree(response.body());
    }

    private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        try {
            return http.send(request, handler);
        } catch (ConnectException ex) {
            throw new DemoFailure("service " + name + " does not answer at " + base);
        } catch (IOException ex) {
            throw new IOException(
                    request.method() + " " + request.uri() + " at service " + name + " failed: " + ex.getMessage(), ex);
        }
    }

    private HttpRequest.Builder request(String path, Duration timeout) {
        return HttpRequest.newBuilder(base.resolve(path)).timeout(timeout);
    }

    private DemoFailure failure(HttpRequest request, int status, String body) {
        return new DemoFailure("service " + name + " answered " + status + " to " + request.method() + " "
                + request.uri().getPath() + ": " + body);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}

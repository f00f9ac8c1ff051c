package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the figures of a node. */
final class Actuator {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    private final String url;

    Actuator(int port) {
        url = "http://127.0.0.1:" + port + "/actuator/";
    }

    Figures figures() throws IOException, InterruptedException {
        return new Figures(
                meter("fabric.transfer.active"),
                meter("fabric.transfer.open"),
                meter("fabric.pool.used"),
                meter("fabric.pool.leases"),
                meter("fabric.qp.count"),
                meter("fabric.connection.count"),
                meter("jvm.threads.live"),
                meter("process.files.open"));
    }

    /** Sum over all tags. */
    private long meter(String name) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "metrics/" + name))
                .timeout(PATIENCE)
                .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        JsonNode value = response.statusCode() == 200
                ? JsonMapper.shared().readTree(response.body()).at("/measurements/0/value")
                : null;
        if (value == null || !value.isNumber()) {
            throw new IOException("No meter " + name + ": status " + response.statusCode());
        }
        return value.asLong();
    }
}

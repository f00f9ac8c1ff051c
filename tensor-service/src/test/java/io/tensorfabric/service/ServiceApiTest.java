package io.tensorfabric.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.service.store.TensorStore;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.safetensors.SafetensorsLayout;
import io.tensorfabric.tensor.safetensors.SafetensorsWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a user of the REST API does, from upload to delete. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"server.address=127.0.0.1", "fabric.provider=soft"})
class ServiceApiTest {

    private static final HttpClient http = HttpClient.newHttpClient();

    @LocalServerPort
    private int port;

    @Autowired
    private TensorStore store;

    @Test
    void whenAFileIsUploadedThenItIsListedDescribedDownloadedAndDeleted() throws Exception {
        byte[] content = content();

        HttpResponse<byte[]> created = send(request("/api/files?name=model")
                .header("Content-Type", "application/octet-stream")
                .POST(HttpRequest.BodyPublishers.ofByteArray(content)));
        String id = json(created).at("/file/id").asString();

        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.headers().firstValue("Location")).hasValue("/api/files/" + id);
        assertThat(json(get("/api/files")).at("/0/name").asString()).isEqualTo("model");
        JsonNode scalar = json(get("/api/files/" + id)).at("/tensors/0");
        assertThat(scalar.get("name").asString()).isEqualTo("scalar");
        assertThat(scalar.get("dtype").asString()).isEqualTo("F32");
        assertThat(scalar.get("shape")).isEmpty();
        assertThat(get("/api/files/" + id + "/content").body()).isEqualTo(content);
        assertThat(text(get("/api/files/" + id + "/content?tensor=empty")))
                .contains("\"empty\"")
                .doesNotContain("\"scalar\"");

        HttpResponse<byte[]> deleted = send(request("/api/files/" + id).DELETE());
        assertThat(deleted.statusCode()).isEqualTo(204);
        assertThat(get("/api/files/" + id).statusCode()).isEqualTo(404);
        assertThat(store.usedBytes()).isZero();
    }

    @Test
    void whenTheDescriptionIsAskedForThenItNamesEveryCall() throws Exception {
        JsonNode paths = json(get("/v3/api-docs")).get("paths");

        assertThat(paths.propertyNames())
                .contains(
                        "/api/files",
                        "/api/files/{id}",
                        "/api/files/{id}/content",
                        "/api/files/{id}/push",
                        "/api/pushes",
                        "/api/pushes/{id}",
                        "/api/transfers");
        assertThat(paths.at("/~1api~1files/post/requestBody/content").propertyNames())
                .contains("application/octet-stream");
    }

    @Test
    void whenTheSoftwareDeviceIsInUseThenActuatorAndHealthSaySo() throws Exception {
        assertThat(json(get("/actuator/fabric")).at("/provider/name").asString())
                .isEqualTo("soft");
        assertThat(new String(get("/actuator/health").body()))
                .contains("\"fabric\"")
                .contains("soft");
    }

    private HttpResponse<byte[]> get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60));
    }

    private static HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static JsonNode json(HttpResponse<byte[]> response) {
        return JsonMapper.shared().readTree(response.body());
    }

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    private static byte[] content() throws IOException {
        try (Tensor scalar =
                        Tensor.copyOf("scalar", DataType.F32, Shape.scalar(), new byte[] {0, 0, (byte) 0xC0, 0x3F});
                Tensor empty = Tensor.copyOf("empty", DataType.I8, Shape.of(3, 0), new byte[0])) {
            List<Tensor> tensors = List.of(scalar, empty);
            SafetensorsLayout layout = SafetensorsWriter.layoutOf(tensors, Map.of("format", "pt"));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            SafetensorsWriter.write(layout, SafetensorsWriter.sourceOf(tensors), out);
            return out.toByteArray();
        }
    }
}

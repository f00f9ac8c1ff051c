package io.tensorfabric.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.service.store.TensorStore;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.safetensors.SafetensorsLayout;
import io.tensorfabric.tensor.safetensors.SafetensorsWriter;
import io.tensorfabric.testing.SharedData;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Whatever a caller sends, the answer is a problem and nothing is left behind. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "server.address=127.0.0.1",
            "tensor-service.store.max-size=64KB",
            "tensor-service.upload.max-header-size=32KB",
            "fabric.peers[0].name=gone",
            "fabric.peers[0].url=http://127.0.0.1:1"
        })
class BadInputTest {

    private static final HttpClient http = HttpClient.newHttpClient();

    @LocalServerPort
    private int port;

    @Autowired
    private TensorStore store;

    @Autowired
    private MemoryRegionPool pool;

    private long leasedBefore;

    @BeforeEach
    void remember() {
        leasedBefore = pool.statistics().inUse();
    }

    @AfterEach
    void whenTheCallIsOverThenNothingIsLeft() {
        store.files(null).forEach(file -> store.delete(file.id()));
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            assertThat(store.usedBytes()).isZero();
            assertThat(pool.statistics().inUse()).isEqualTo(leasedBefore);
        });
    }

    @Test
    void whenAMalformedVectorIsUploadedThenItIsRefused() throws Exception {
        Path vectors = SharedData.safetensorsVectors();
        List<String> lines = Files.readAllLines(vectors.resolve("INDEX.tsv"));
        int refused = 0;
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split("\t");
            if (fields[1].startsWith("REJECT")) {
                assertProblem(upload(fields[0], Files.readAllBytes(vectors.resolve(fields[0]))), 400);
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(50);
        assertThat(store.files(null)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "wrong dtype     | {\"t\":{\"dtype\":\"F33\",\"shape\":[1],\"data_offsets\":[0,4]}}",
                "negative shape  | {\"t\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}",
                "wrapping shape  | {\"t\":{\"dtype\":\"F32\",\"shape\":[2147483648,2147483648,2147483648],\"data_offsets\":[0,4]}}",
                "not an object   | []",
                "not JSON        | {",
            })
    void whenTheHeaderIsNonsenseThenItIsRefused(String what, String header) throws Exception {
        assertProblem(upload("f", content(header, 4)), 400);
        assertThat(store.files(null)).isEmpty();
    }

    @Test
    void whenTheHeaderIsLongerThanTheLimitThenItIsRefused() throws Exception {
        assertProblem(upload("f", content("{" + " ".repeat(40_000) + "}", 0)), 400);
    }

    @Test
    void whenTheFileIsLargerThanTheStoreThenItIsTooLarge() throws Exception {
        assertProblem(upload("f", file(new byte[65 * 1024])), 413);
    }

    @Test
    void whenTheStoreIsFullThenTheUploadIsRefused() throws Exception {
        assertThat(upload("f", file(new byte[40 * 1024])).statusCode()).isEqualTo(201);

        assertProblem(upload("g", file(new byte[40 * 1024])), 507);
    }

    @Test
    void whenTheBodyIsShorterThanItsTensorsThenItIsRefused() throws Exception {
        byte[] whole = file(new byte[1000]);
        HttpRequest.BodyPublisher unknownLength =
                HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(whole, 0, whole.length - 1));

        assertProblem(send(uploadRequest("f").POST(unknownLength)), 400);
    }

    @Test
    void whenTheConnectionIsCutDuringTheUploadThenNothingIsLeft() throws Exception {
        byte[] whole = file(new byte[30_000]);
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write(("POST /api/files?name=f HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n"
                                    + "Content-Length: " + whole.length + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(whole, 0, 20_000);
            socket.getOutputStream().flush();
            await().atMost(Duration.ofSeconds(5)).until(() -> store.usedBytes() > 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a%00b", "a%0Ab"})
    void whenTheNameIsNoneThenItIsRefused(String name) throws Exception {
        assertProblem(upload(name, file(new byte[1])), 400);
    }

    @Test
    void whenTheMediaTypeIsWrongThenItIsRefused() throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri("/api/files?name=f"))
                .header("Content-Type", "application/x-java-serialized-object")
                .POST(HttpRequest.BodyPublishers.ofByteArray(file(new byte[1])));

        assertProblem(send(request), 415);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "404 | {\"peer\": \"nobody\"}",
                "404 | {\"peer\": \"gone\", \"tensor\": \"nothing\"}",
                "400 | {\"peer\": \"gone\", \"deadline\": \"30\"}",
                "400 | {\"peer\": \"gone\", \"deadline\": \"soon\"}",
                "400 | {\"peer\": \"gone\", \"deadline\": \"-1s\"}",
                "400 | {\"peer\": \"gone\", \"receipt\": \"MAYBE\"}",
                "400 | {\"peer\": \"gone\", \"unknown\": 1}",
                "400 | {\"peer\": \"\"}",
                "400 | {}",
                "400 | {",
                "400 | []",
            })
    void whenAPushMakesNoSenseThenItIsRefused(int status, String body) throws Exception {
        assertProblem(push(uploaded(), body), status);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "There is no field 'x' | {\"peer\": \"gone\", \"x\": 1}",
                "PLACED, ACCEPTED, PROCESSED | {\"peer\": \"gone\", \"receipt\": \"processed\"}",
                "Field 'checksum' | {\"peer\": \"gone\", \"checksum\": \"yes\"}",
                "'peer' must not be blank | {}",
                "must be a JSON object | []",
                "not valid JSON | {",
            })
    void whenAPushMakesNoSenseThenTheProblemSaysWhy(String why, String body) throws Exception {
        assertThat(assertProblem(push(uploaded(), body), 400).get("detail").asString())
                .contains(why)
                .doesNotContain("io.tensorfabric", "tools.jackson");
    }

    @Test
    void whenTheNameIsTooLongThenTheProblemNamesIt() throws Exception {
        JsonNode problem = assertProblem(upload("n".repeat(300), file(new byte[1])), 400);

        assertThat(problem.get("detail").asString()).contains("'name'").contains("1 to 255 characters");
    }

    @Test
    void whenThePeerCannotBeReachedThenThePushFailsWithItsName() throws Exception {
        HttpResponse<String> response = push(uploaded(), "{\"peer\": \"gone\", \"deadline\": \"5s\"}");

        JsonNode problem = assertProblem(response, 502, 504);
        assertThat(problem.get("detail").asString()).contains("gone");
        for (String kind : new String[] {"circuitbreakers", "retries", "bulkheads"}) {
            HttpResponse<String> endpoint = send(HttpRequest.newBuilder(uri("/actuator/" + kind)));
            assertThat(endpoint.body()).as(kind).contains("fabric.gone");
        }
        assertThat(send(HttpRequest.newBuilder(uri("/actuator/circuitbreakerevents/fabric.gone/ERROR")))
                        .body())
                .contains("gone");
        assertThat(send(HttpRequest.newBuilder(uri("/actuator/metrics/resilience4j.circuitbreaker.state")))
                        .body())
                .contains("fabric.gone");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/files/none", "/api/files/none/content", "/api/pushes/none", "/api/nothing"})
    void whenThereIsNoSuchThingThenItIsNotFound(String path) throws Exception {
        assertProblem(send(HttpRequest.newBuilder(uri(path)).GET()), 404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "{", "null", "{\"protocolVersion\": \"x\"}", ""})
    void whenTheNegotiationIsNonsenseThenItIsRefused(String body) throws Exception {
        HttpResponse<String> response = send(HttpRequest.newBuilder(uri("/fabric/v1/connections"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));

        assertThat(response.statusCode()).isBetween(400, 499);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
    }

    private String uploaded() throws IOException, InterruptedException {
        return JsonMapper.shared()
                .readTree(upload("f", file(new byte[10])).body())
                .at("/file/id")
                .asString();
    }

    private HttpResponse<String> push(String id, String body) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri("/api/files/" + id + "/push?wait=true"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private HttpResponse<String> upload(String encodedName, byte[] content) throws IOException, InterruptedException {
        return send(uploadRequest(encodedName).POST(HttpRequest.BodyPublishers.ofByteArray(content)));
    }

    private HttpRequest.Builder uploadRequest(String encodedName) {
        return HttpRequest.newBuilder(uri("/api/files?name=" + encodedName))
                .header("Content-Type", "application/octet-stream");
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.timeout(Duration.ofSeconds(60)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private static JsonNode assertProblem(HttpResponse<String> response, Integer... statuses) {
        assertThat(response.statusCode()).as(response.body()).isIn((Object[]) statuses);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        JsonNode problem = JsonMapper.shared().readTree(response.body());
        assertThat(problem.get("status").asInt()).isEqualTo(response.statusCode());
        assertThat(problem.path("detail").asString("")).isNotBlank();
        return problem;
    }

    private static byte[] content(String header, int dataBytes) throws IOException {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            out.write((int) ((long) text.length >>> shift));
        }
        out.write(text);
        out.write(new byte[dataBytes]);
        return out.toByteArray();
    }

    private static byte[] file(byte[] bytes) throws IOException {
        try (Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(bytes.length), bytes)) {
            SafetensorsLayout layout = SafetensorsWriter.layoutOf(List.of(tensor), Map.of());
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            SafetensorsWriter.write(layout, SafetensorsWriter.sourceOf(List.of(tensor)), out);
            return out.toByteArray();
        }
    }
}

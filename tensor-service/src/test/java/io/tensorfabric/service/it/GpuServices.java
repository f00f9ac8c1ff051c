package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.service.demo.TensorStreams;
import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import io.tensorfabric.testing.cuda.StubCuda;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Packaged services with GPU memory, each a process of its own on the stub of the driver: no GPU takes part. */
abstract class GpuServices {

    static final long SMALL = 5_000_000;

    static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    ServiceProcess start(String name, int gpu, String stub, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "env:LD_LIBRARY_PATH=" + StubCuda.build().getParent(),
                "env:CUDA_VISIBLE_DEVICES=" + gpu,
                "env:STUB_CUDA=" + stub,
                "--logging.level.io.tensorfabric=DEBUG"));
        if (System.getProperty("service.options." + name) == null) {
            all.add("--fabric.provider=soft");
        }
        all.addAll(List.of(options));
        return ServiceProcess.start(folder, name, all.toArray(String[]::new));
    }

    static String[] peer(ServiceProcess b, String... more) {
        List<String> options = new ArrayList<>(List.of("--fabric.peers[0].name=b", "--fabric.peers[0].url=" + b.url()));
        options.addAll(List.of(more));
        return options.toArray(String[]::new);
    }

    Path model(long bytes) throws IOException {
        Path file = folder.resolve("model-" + bytes + ".safetensors");
        if (!Files.exists(file)) {
            SafetensorsGenerator.generate(file, bytes, 7);
        }
        return file;
    }

    /** A file of one tensor. */
    Path oneTensor(int bytes) throws IOException {
        byte[] header = ("{\"t\":{\"dtype\":\"U8\",\"shape\":[" + bytes + "],\"data_offsets\":[0," + bytes + "]}}")
                .getBytes(StandardCharsets.UTF_8);
        byte[] content = new byte[bytes];
        new Random(5).nextBytes(content);
        ByteBuffer all = ByteBuffer.allocate(8 + header.length + bytes).order(ByteOrder.LITTLE_ENDIAN);
        all.putLong(header.length).put(header).put(content);
        return Files.write(folder.resolve("one.safetensors"), all.array());
    }

    static String upload(ServiceProcess a, Path file, String memory) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                ServiceProcess.ok(a.upload("model", memory, HttpRequest.BodyPublishers.ofFile(file)));
        return ServiceProcess.json(answer).at("/file/id").asString();
    }

    static JsonNode push(ServiceProcess a, String file, String peer) throws IOException, InterruptedException {
        String body = "{\"peer\": \"" + peer + "\", \"deadline\": \"60s\"}";
        return ServiceProcess.json(ServiceProcess.ok(a.push(file, body, true)));
    }

    static String received(ServiceProcess b) throws IOException, InterruptedException {
        JsonNode files = b.get("/api/files?peer=a");
        assertThat(files.size()).as("files received from a").isPositive();
        return files.get(files.size() - 1).get("id").asString();
    }

    static void assertMemory(ServiceProcess service, String file, String memory) throws Exception {
        JsonNode tensors = service.get("/api/files/" + file).get("tensors");
        assertThat(tensors.size()).isPositive();
        for (JsonNode tensor : tensors) {
            assertThat(tensor.get("memory").asString()).isEqualTo(memory);
        }
    }

    static void assertPaths(JsonNode push, String path) {
        assertThat(push.get("state").asString()).as(push.toString()).isEqualTo("DONE");
        for (JsonNode tensor : push.get("results")) {
            boolean empty = tensor.get("bytes").asLong() == 0;
            assertThat(tensor.get("path").asString()).isEqualTo(empty ? "NONE" : path);
        }
    }

    static void assertSame(ServiceProcess service, String id, Path file) throws Exception {
        try (InputStream sent = Files.newInputStream(file);
                InputStream arrived = service.download(id)) {
            assertThat(TensorStreams.hashes(arrived)).isEqualTo(TensorStreams.hashes(sent));
        }
    }

    static JsonNode ipc(ServiceProcess a, String peer) throws IOException, InterruptedException {
        for (JsonNode decision : a.get("/actuator/fabric").at("/gpu/cudaIpc")) {
            if (decision.get("peer").asString().equals(peer)) {
                return decision;
            }
        }
        throw new AssertionError("nothing about peer " + peer);
    }

    /** A step of a preflight, by its part and its name. */
    static JsonNode preflightStep(ServiceProcess a, String peer, String part, String name)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = ServiceProcess.ok(a.call(a.request("/actuator/fabric/preflight/" + peer)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))));
        for (JsonNode step : ServiceProcess.json(answer).get(part)) {
            if (step.get("name").asString().equals(name)) {
                return step;
            }
        }
        throw new AssertionError(name + " is not in " + answer.body());
    }

    static double bytesBy(ServiceProcess a, String path) throws IOException, InterruptedException {
        JsonNode meter = a.get("/actuator/metrics/fabric.transfer.bytes?tag=direction:out&tag=path:" + path);
        return meter.at("/measurements/0/value").asDouble();
    }
}

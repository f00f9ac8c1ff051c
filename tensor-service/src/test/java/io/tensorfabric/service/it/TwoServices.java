package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Service B, and service A that has B as its peer {@code b}. */
final class TwoServices implements AutoCloseable {

    private final Path folder;

    private final String[] options;

    private final ServiceProcess a;

    private ServiceProcess b;

    private TwoServices(Path folder, String... options) throws IOException {
        this.folder = folder;
        this.options = options;
        this.b = ServiceProcess.start(folder, "b", options);
        this.a =
                ServiceProcess.start(folder, "a", with("--fabric.peers[0].name=b", "--fabric.peers[0].url=" + b.url()));
    }

    static TwoServices start(Path folder, String... options) throws IOException {
        return new TwoServices(folder, options);
    }

    private String[] with(String... more) {
        return Stream.concat(Arrays.stream(options), Arrays.stream(more)).toArray(String[]::new);
    }

    ServiceProcess a() {
        return a;
    }

    ServiceProcess b() {
        return b;
    }

    /** Starts a new B on the port of the one that is gone. */
    void restartB() throws IOException {
        b = ServiceProcess.start(folder, "b", with("--server.port=" + b.port()));
    }

    /** Uploads to A and answers the file's id. */
    String upload(String name, Path file) throws IOException, InterruptedException {
        return ServiceProcess.json(ServiceProcess.ok(a.upload(name, file)))
                .at("/file/id")
                .asString();
    }

    /** Pushes everything of a file to B and waits for it. */
    void push(String fileId) throws IOException, InterruptedException {
        ServiceProcess.ok(a.push(fileId, "{\"peer\": \"b\", \"deadline\": \"60s\"}", true));
    }

    /** The id of what B received under a name. */
    String received(String name) throws IOException, InterruptedException {
        String id = null;
        for (JsonNode file : b.get("/api/files?peer=a")) {
            if (file.get("name").asString().equals(name)) {
                id = file.get("id").asString();
            }
        }
        assertThat(id).as("a file " + name + " received from a").isNotNull();
        return id;
    }

    @Override
    public void close() {
        a.close();
        b.close();
    }
}

package io.tensorfabric.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The packaged service as a pod of the chart would run it: with its environment, its files below {@code /etc/tensor-service}
 * (elsewhere, and linked as the kubelet does), its options for the JVM. Closing it kills it.
 */
final class DeployedPod implements AutoCloseable {

    private static final String MOUNT = "/etc/tensor-service";

    private static final Path JAR = Path.of("..", "tensor-service", "target", "tensor-service.jar");

    private static final Duration READY = Duration.ofSeconds(90);

    private final Path folder;

    private final Path log;

    private final Process process;

    private final URI management;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    /**
     * Starts a pod and waits until it is ready.
     *
     * @param address its address
     * @param more options besides, of the JVM ({@code -D}) and of Spring Boot ({@code --})
     */
    DeployedPod(List<Manifest> rendered, Path folder, int number, String address, String... more) throws Exception {
        this.folder = Files.createDirectories(folder.resolve("pod-" + number));
        this.log = this.folder.resolve("log");
        Manifest set = Chart.only(rendered, "StatefulSet");
        JsonNode container = set.at("/spec/template/spec/containers/0");
        mount(rendered);
        ProcessBuilder builder = new ProcessBuilder(command(address, more))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        for (JsonNode variable : container.path("env")) {
            builder.environment()
                    .put(
                            variable.get("name").asText(),
                            switch (variable.at("/valueFrom/fieldRef/fieldPath").asText()) {
                                case "metadata.name" -> set.name() + "-" + number;
                                case "status.podIP" -> address;
                                default -> here(variable.get("value").asText());
                            });
        }
        JsonNode probe = container.path("readinessProbe");
        int port = port(container, probe.at("/httpGet/port").asText());
        management = URI.create("http://" + address + ":" + port);
        process = builder.start();
        await().atMost(READY)
                .pollInterval(Duration.ofMillis(250))
                .until(() ->
                        !process.isAlive() || status(probe.at("/httpGet/path").asText()) == 200);
        assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
    }

    private List<String> command(String address, String... more) {
        assertThat(JAR)
                .as("the packaged service; these tests run after 'package'")
                .exists();
        List<String> command = new ArrayList<>();
        command.add(java());
        // Short lives on a busy machine: the second compiler only costs.
        command.add("-XX:TieredStopAtLevel=1");
        List.of(more).stream().filter(option -> option.startsWith("-D")).forEach(command::add);
        command.addAll(List.of("-jar", JAR.toString()));
        command.add("--server.address=" + address);
        command.add("--management.server.address=" + address);
        command.add("--fabric.soft.bind-address=" + address);
        List.of(more).stream().filter(option -> option.startsWith("--")).forEach(command::add);
        return command;
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static int port(JsonNode container, String name) {
        for (JsonNode port : container.path("ports")) {
            if (port.get("name").asText().equals(name)) {
                return port.get("containerPort").asInt();
            }
        }
        throw new AssertionError("no port " + name);
    }

    private String here(String text) {
        return text.replace(MOUNT, folder.toString());
    }

    private void mount(List<Manifest> rendered) throws IOException {
        Map<String, String> config = new TreeMap<>();
        Chart.named(rendered, "ConfigMap", Chart.FULL_NAME + "-config")
                .at("/data")
                .properties()
                .forEach(entry ->
                        config.put(entry.getKey(), here(entry.getValue().asText())));
        mount("config", config);
        Map<String, String> auth = decoded(rendered, "-auth");
        mount("secret", Map.of("fabric.security.shared-secret", auth.get("shared-secret")));
        mount("tls", decoded(rendered, "-tls"));
    }

    private static Map<String, String> decoded(List<Manifest> rendered, String suffix) {
        Map<String, String> data = new TreeMap<>();
        Chart.named(rendered, "Secret", Chart.FULL_NAME + suffix)
                .at("/data")
                .properties()
                .forEach(entry -> data.put(
                        entry.getKey(),
                        new String(Base64.getDecoder().decode(entry.getValue().asText()), StandardCharsets.UTF_8)));
        return data;
    }

    /** Files are links to {@code ..data}, which is a link to a folder; a change swaps that link at once. */
    private void mount(String name, Map<String, String> files) throws IOException {
        Path volume = Files.createDirectories(folder.resolve(name));
        Path version = Files.createTempDirectory(volume, "..version");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(version.resolve(file.getKey()), file.getValue());
        }
        Path next = volume.resolve("..data_tmp");
        Files.createSymbolicLink(next, version.getFileName());
        Files.move(next, volume.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        for (String file : files.keySet()) {
            if (!Files.isSymbolicLink(volume.resolve(file))) {
                Files.createSymbolicLink(volume.resolve(file), Path.of("..data", file));
            }
        }
    }

    /** Puts other certificates into the pod's volume. */
    void renewCertificates(List<Manifest> rendered) throws IOException {
        mount("tls", decoded(rendered, "-tls"));
    }

    private int status(String path) throws InterruptedException {
        try {
            return get(path).statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(management.resolve(path))
                        .timeout(Duration.ofSeconds(30))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    int managementPort() {
        return management.getPort();
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    /**
     * How a test pod ended.
     *
     * @param status its exit status
     * @param output what it printed
     */
    record TestRun(int status, String output) {}

    /** Runs the service's jar with the arguments of a test pod, which sees this pod's volumes. */
    TestRun runTest(Manifest test, Path hosts, String... more) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(java(), "-XX:TieredStopAtLevel=1"));
        command.add("-Djdk.net.hosts.file=" + hosts);
        command.addAll(List.of("-jar", JAR.toString()));
        test.at("/spec/containers/0/args").forEach(argument -> command.add(here(argument.asText())));
        command.addAll(List.of(more));
        Process run = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor(90, TimeUnit.SECONDS)).isTrue();
        return new TestRun(run.exitValue(), output);
    }

    /** The same for a test that must pass; answers what it printed. */
    String passTest(Manifest test, Path hosts) throws IOException, InterruptedException {
        TestRun run = runTest(test, hosts);
        assertThat(run.status()).as(run.output() + "\n" + log()).isZero();
        return run.output();
    }

    /** Ends it as the kubelet does, and answers its exit status. */
    int terminate() throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(95, TimeUnit.SECONDS)).as("ends in time").isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        await().atMost(Duration.ofSeconds(10)).until(() -> !process.isAlive());
    }
}

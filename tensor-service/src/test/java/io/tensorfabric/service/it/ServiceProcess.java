package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A process of the packaged tensor-service. Closing it kills the process.
 *
 * <p>System properties change what runs, for the guest with RDMA devices: {@code service.jar} names the jar,
 * {@code service.jvm} has more options for the JVM, and {@code service.options.a} and {@code .b} for the services.
 */
final class ServiceProcess implements AutoCloseable {

    static final String SECRET = "correct-horse-battery-staple";

    private static final Path JAR = Path.of(System.getProperty("service.jar", "target/tensor-service.jar"));

    /** Among the options: the jar as users have it, with jars within, instead of what {@code service.jar} names. */
    static final String PACKAGED = "packaged";

    private static final Path PACKAGED_JAR = Path.of("target", "tensor-service.jar");

    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    private static final String ENVIRONMENT = "env:";

    private static final Duration READY = Duration.ofSeconds(90);

    private static final JsonMapper json = JsonMapper.shared();

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private final Process process;

    private final Path log;

    private final int port;

    private ServiceProcess(Process process, Path log) throws IOException {
        this.process = process;
        this.log = log;
        this.port = awaitPort();
    }

    /**
     * Starts a service and waits until it answers; further options are Spring Boot's arguments, those of the JVM, which begin
     * with {@code -D}, and variables of the environment as in {@code env:NAME=value}.
     */
    static ServiceProcess start(Path folder, String name, String... options) throws IOException {
        assertThat(JAR)
                .as("the packaged service; integration tests run after 'package'")
                .exists();
        Path log = Files.createTempFile(folder, name, ".log");
        ProcessBuilder builder = builder(command(name, options), log);
        Stream.of(options).filter(option -> option.startsWith(ENVIRONMENT)).forEach(option -> {
            String[] variable = option.substring(ENVIRONMENT.length()).split("=", 2);
            builder.environment().put(variable[0], variable[1]);
        });
        return new ServiceProcess(builder.start(), log);
    }

    /** The command that starts a service. */
    static List<String> command(String name, String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        boolean packaged = List.of(options).contains(PACKAGED);
        if (!packaged) {
            command.addAll(words("service.jvm"));
        }
        command.add("-Xmx256m");
        Stream.of(options).filter(ServiceProcess::isForJvm).forEach(command::add);
        command.addAll(List.of("-jar", (packaged ? PACKAGED_JAR : JAR).toString(), "--fabric.node-id=" + name));
        command.addAll(words("service.options." + name));
        Stream.of(options)
                .filter(option -> !isForJvm(option) && !option.startsWith(ENVIRONMENT) && !option.equals(PACKAGED))
                .forEach(command::add);
        addUnlessGiven(command, "--server.address=", "127.0.0.1");
        addUnlessGiven(command, "--server.port=", "0");
        return command;
    }

    private static boolean isForJvm(String option) {
        return option.startsWith("-D") || option.startsWith("-X");
    }

    private static void addUnlessGiven(List<String> command, String option, String value) {
        if (command.stream().noneMatch(given -> given.startsWith(option))) {
            command.add(option + value);
        }
    }

    private static List<String> words(String property) {
        String value = System.getProperty(property, "").strip();
        return value.isEmpty() ? List.of() : List.of(value.split("\\s+"));
    }

    static ProcessBuilder builder(List<String> command, Path log) {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("FABRIC_SECURITY_SHARED_SECRET", SECRET);
        return builder;
    }

    private int awaitPort() throws IOException {
        long deadline = System.nanoTime() + READY.toNanos();
        while (System.nanoTime() < deadline && process.isAlive()) {
            Matcher matcher = PORT.matcher(log());
            if (matcher.find()) {
                return Integer.parseInt(matcher.group(1));
            }
            await().pollDelay(Duration.ofMillis(100)).until(() -> true);
        }
        process.destroyForcibly();
        throw new IllegalStateException("The service did not start:\n" + log());
    }

    int port() {
        return port;
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return json.readTree(text(path));
    }

    String text(String path) throws IOException, InterruptedException {
        return ok(call(request(path).GET())).body();
    }

    HttpResponse<String> upload(String name, Path file) throws IOException, InterruptedException {
        return upload(name, HttpRequest.BodyPublishers.ofFile(file));
    }

    HttpResponse<String> upload(String name, HttpRequest.BodyPublisher body) throws IOException, InterruptedException {
        return upload(name, "", body);
    }

    /** Into memory of a kind, if that is not empty. */
    HttpResponse<String> upload(String name, String memory, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        String query = URLEncoder.encode(name, StandardCharsets.UTF_8) + (memory.isEmpty() ? "" : "&memory=" + memory);
        return call(request("/api/files?name=" + query)
                .header("Content-Type", "application/octet-stream")
                .POST(body));
    }

    HttpResponse<String> push(String fileId, String body, boolean wait) throws IOException, InterruptedException {
        return call(request("/api/files/" + fileId + "/push?wait=" + wait)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpResponse<String> delete(String fileId) throws IOException, InterruptedException {
        return call(request("/api/files/" + fileId).DELETE());
    }

    HttpResponse<String> call(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    InputStream download(String fileId) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = http.send(
                request("/api/files/" + fileId + "/content").GET().build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url() + path)).timeout(Duration.ofMinutes(3));
    }

    static HttpResponse<String> ok(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
        return response;
    }

    static JsonNode json(HttpResponse<String> response) {
        return json.readTree(response.body());
    }

    /** Ends the process as an operator would. */
    int terminate() throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ends in time").isTrue();
        return process.exitValue();
    }

    /** Stops the process without ending it. */
    void suspend() throws IOException, InterruptedException {
        signal("-STOP");
    }

    /** Lets a suspended process go on. */
    void resume() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    /** Ends the process as a crash would. */
    void kill() {
        process.destroyForcibly();
        await().atMost(Duration.ofSeconds(10)).until(() -> !process.isAlive());
    }

    @Override
    public void close() {
        kill();
    }
}

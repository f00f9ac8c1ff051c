package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.ContainerNetwork;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service in a container as it is meant to run: an ordinary user, no capabilities, a file system it cannot write to. */
final class ContainerNode implements AutoCloseable {

    private static final int PORT = 8080;

    private final GenericContainer<?> container;

    private final Network network;

    private final String address;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    ContainerNode(String image, Network network, String name, String address, Map<String, String> environment) {
        this.network = network;
        this.address = address;
        this.container = new GenericContainer<>(DockerImageName.parse(image))
                .withImagePullPolicy(any -> false)
                .withNetwork(network)
                .withNetworkAliases(name)
                .withExposedPorts(PORT)
                .withEnv(environment)
                .withEnv("FABRIC_NODE_ID", name)
                .withEnv("FABRIC_SECURITY_SHARED_SECRET", ServiceProcess.SECRET)
                .withEnv("FABRIC_SECURITY_ALLOW_PLAINTEXT", "true")
                .withEnv("FABRIC_SOFT_BIND_ADDRESS", "0.0.0.0")
                .withEnv("FABRIC_SOFT_ADVERTISED_ADDRESS", address)
                .withEnv("TENSOR_SERVICE_PUSH_WINDOW", "1")
                .withEnv("JDK_JAVA_OPTIONS", "-Xmx256m -Dsun.net.inetaddr.ttl=2")
                .withTmpFs(Map.of("/tmp", "rw,exec,size=64m"))
                .withCreateContainerCmdModifier(command -> {
                    command.withIpv4Address(address);
                    command.getHostConfig()
                            .withReadonlyRootfs(true)
                            .withCapDrop(Capability.ALL)
                            .withSecurityOpts(List.of("no-new-privileges"));
                })
                .waitingFor(Wait.forHttp("/actuator/health/readiness")
                        .forPort(PORT)
                        .withStartupTimeout(Duration.ofMinutes(3)));
        container.start();
    }

    private static DockerClient engine() {
        return DockerClientFactory.instance().client();
    }

    String id() {
        return container.getContainerId();
    }

    String log() {
        return container.getLogs();
    }

    /** What the health check of the image says. */
    String health() {
        return engine().inspectContainerCmd(id()).exec().getState().getHealth().getStatus();
    }

    void kill() {
        engine().killContainerCmd(id()).exec();
    }

    /** Starts the same container again, with the same address. */
    void startAgain() {
        engine().startContainerCmd(id()).exec();
    }

    void pause() {
        engine().pauseContainerCmd(id()).exec();
    }

    void unpause() {
        engine().unpauseContainerCmd(id()).exec();
    }

    void disconnect() {
        engine().disconnectFromNetworkCmd()
                .withNetworkId(network.getId())
                .withContainerId(id())
                .withForce(true)
                .exec();
    }

    void reconnect(String alias) {
        engine().connectToNetworkCmd()
                .withNetworkId(network.getId())
                .withContainerId(id())
                .withContainerNetwork(new ContainerNetwork()
                        .withAliases(alias)
                        .withIpamConfig(new ContainerNetwork.Ipam().withIpv4Address(address)))
                .exec();
    }

    /** Stops it as an engine does, and answers the exit status. */
    long stop(int seconds) {
        engine().stopContainerCmd(id()).withTimeout(seconds).exec();
        Long status = engine().inspectContainerCmd(id()).exec().getState().getExitCodeLong();
        assertThat(status).isNotNull();
        return status;
    }

    private URI url(String path) {
        // The port on this machine changes with each start.
        String port = engine().inspectContainerCmd(id())
                .exec()
                .getNetworkSettings()
                .getPorts()
                .getBindings()
                .entrySet()
                .iterator()
                .next()
                .getValue()[0]
                .getHostPortSpec();
        return URI.create("http://" + container.getHost() + ":" + port + path);
    }

    HttpResponse<String> call(String path, HttpRequest.BodyPublisher body, String type)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(url(path))
                        .timeout(Duration.ofMinutes(2))
                        .header("Content-Type", type)
                        .POST(body)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return JsonMapper.shared().readTree(new String(bytes(path), java.nio.charset.StandardCharsets.UTF_8));
    }

    byte[] bytes(String path) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = http.send(
                HttpRequest.newBuilder(url(path)).timeout(Duration.ofMinutes(2)).build(),
                HttpResponse.BodyHandlers.ofByteArray());
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        return response.body();
    }

    /** Uploads a file and answers its id. */
    String upload(String name, Path file) throws IOException, InterruptedException {
        HttpResponse<String> response =
                call("/api/files?name=" + name, HttpRequest.BodyPublishers.ofFile(file), "application/octet-stream");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        return JsonMapper.shared().readTree(response.body()).at("/file/id").asString();
    }

    HttpResponse<String> push(String file, String peer, String deadline, boolean wait)
            throws IOException, InterruptedException {
        String body = "{\"peer\": \"" + peer + "\", \"deadline\": \"" + deadline + "\"}";
        return call(
                "/api/files/" + file + "/push?wait=" + wait,
                HttpRequest.BodyPublishers.ofString(body),
                "application/json");
    }

    @Override
    public void close() {
        container.stop();
    }
}

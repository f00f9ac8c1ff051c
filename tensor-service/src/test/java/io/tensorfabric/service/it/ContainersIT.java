package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.model.Network.Ipam;
import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Network;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Two containers of the image that {@code ./dev image} made, on a network of their own: files between them, and what happens
 * when one is killed, paused, or taken off the network. Skipped where there is no engine or no image.
 */
@Timeout(600)
class ContainersIT {

    private static final Path ARCHIVE =
            Path.of(System.getProperty("service.image", "../.dev/image/tensor-service.tar"));

    private static final String IMAGE = "tensor-service:0.1.0-SNAPSHOT";

    private static final String SUBNET = "10.213.77.";

    private static final int SIGTERM = 143;

    private static final long LARGE = 128L << 20;

    @TempDir
    private static Path folder;

    private static Network network;

    private static ContainerNode a;

    private static ContainerNode b;

    private static String small;

    private static String large;

    private static byte[] content;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(Files.exists(ARCHIVE), "no image: ./dev image makes one");
        assumeTrue(
                System.getenv("DOCKER_HOST") != null
                        && DockerClientFactory.instance().isDockerAvailable(),
                "no container engine under DOCKER_HOST; ./dev test starts one where it is root on Debian or Ubuntu");
        try (InputStream archive = Files.newInputStream(ARCHIVE)) {
            DockerClientFactory.instance().client().loadImageCmd(archive).exec();
        }
        network = Network.builder()
                .createNetworkCmdModifier(command ->
                        command.withIpam(new Ipam().withConfig(new Ipam.Config().withSubnet(SUBNET + "0/24"))))
                .build();
        b = new ContainerNode(IMAGE, network, "b", SUBNET + "11", Map.of());
        // By address: an engine that may not change filters of packets resolves no names.
        a = new ContainerNode(
                IMAGE, network, "a", SUBNET + "10", Map.of("FABRIC_PEERS", "b=http://" + SUBNET + "11:8080"));
        Path file = folder.resolve("small");
        SafetensorsGenerator.generate(file, 1 << 20, 7);
        content = Files.readAllBytes(file);
        small = a.upload("small", file);
        Path other = folder.resolve("large");
        SafetensorsGenerator.generate(other, LARGE, 8);
        large = a.upload("large", other);
    }

    @AfterAll
    static void stop() {
        for (AutoCloseable each : new AutoCloseable[] {a, b, network}) {
            if (each != null) {
                try {
                    each.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private static void awaitPush(String after) {
        long begin = System.nanoTime();
        await().atMost(Duration.ofSeconds(180))
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() -> {
                    HttpResponse<String> push = a.push(small, "b", "10s", true);
                    assertThat(push.statusCode()).as(push.body()).isEqualTo(200);
                });
        System.out.println(
                "containers: pushes again " + (System.nanoTime() - begin) / 1_000_000 + " ms after " + after);
    }

    /** Begins a large push and returns when some of it has arrived and more is to come. */
    private static String midPush() throws Exception {
        HttpResponse<String> begun = a.push(large, "b", "20s", false);
        assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
        String id = JsonMapper.shared().readTree(begun.body()).get("id").asString();
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    JsonNode push = a.get("/api/pushes/" + id);
                    return push.get("bytesDone").asLong() > 0
                            || !push.get("state").asString().equals("RUNNING");
                });
        return id;
    }

    private static JsonNode ended(String push) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(250))
                .until(() ->
                        !a.get("/api/pushes/" + push).get("state").asString().equals("RUNNING"));
        try {
            return a.get("/api/pushes/" + push);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whenAFileIsPushedThenTheOtherContainerHasTheSameBytes() throws Exception {
        awaitPush("the start");
        String received = "";
        for (JsonNode file : b.get("/api/files?peer=a")) {
            if (file.get("name").asString().equals("small")) {
                received = file.get("id").asString();
            }
        }
        // All but the metadata, which stays with the sender.
        assertThat(payload(b.bytes("/api/files/" + received + "/content"))).isEqualTo(payload(content));
    }

    /** What follows the header of a safetensors file. */
    private static byte[] payload(byte[] file) {
        long header = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong();
        return Arrays.copyOfRange(file, Long.BYTES + Math.toIntExact(header), file.length);
    }

    @Test
    void whenTheServiceIsReadyThenTheImagesHealthCheckSaysSo() {
        await().atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> a.health().equals("healthy"));
    }

    @Test
    void whenAContainerIsKilledInThePushThenItEndsInTimeAndTheNextStartIsReached() throws Exception {
        awaitPush("the start");
        String push = midPush();
        b.kill();
        assertThat(ended(push).get("state").asString()).isEqualTo("FAILED");
        b.startAgain();
        awaitPush("a kill");
    }

    @Test
    void whenAContainerIsPausedThenPushesFailAtTheirDeadlineAndGoOnAfterwards() throws Exception {
        awaitPush("the start");
        b.pause();
        long begin = System.nanoTime();
        try {
            HttpResponse<String> push = a.push(small, "b", "3s", true);
            assertThat(push.statusCode()).as(push.body()).isIn(502, 503, 504);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
        } finally {
            b.unpause();
        }
        awaitPush("a pause");
    }

    @Test
    void whenAContainerLosesTheNetworkInThePushThenItEndsInTimeAndGoesOnAfterwards() throws Exception {
        awaitPush("the start");
        String push = midPush();
        b.disconnect();
        assertThat(ended(push).get("state").asString()).isEqualTo("FAILED");
        b.reconnect("b");
        awaitPush("a reconnect");
    }

    @Test
    void whenAContainerIsStoppedThenItEndsByItselfInTime() {
        try (ContainerNode c = new ContainerNode(IMAGE, network, "c", SUBNET + "12", Map.of())) {
            assertThat(c.stop(60)).as(c.log()).isEqualTo(SIGTERM);
            assertThat(c.log()).contains("Graceful shutdown complete");
        }
    }
}

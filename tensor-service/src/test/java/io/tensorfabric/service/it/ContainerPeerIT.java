package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.model.Network.Ipam;
import io.tensorfabric.service.TensorServiceApplication;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.test.container.FabricPeerContainer;
import io.tensorfabric.transfer.TensorTransferService;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.DockerImageName;

/** An application under test in this process, whose peer runs in a container of the image. */
@SpringBootTest(
        classes = TensorServiceApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = "fabric.memory.host.slab-size=16MB")
class ContainerPeerIT {

    private static final Path ARCHIVE =
            Path.of(System.getProperty("service.image", "../.dev/image/tensor-service.tar"));

    @ServiceConnection
    static final FabricPeerContainer peer = new FabricPeerContainer(
                    DockerImageName.parse("tensor-service:0.1.0-SNAPSHOT"), "ranker")
            .withImagePullPolicy(any -> false)
            .withTmpFs(Map.of("/tmp", "rw,exec,size=64m"))
            .withEnv("JDK_JAVA_OPTIONS", "-Xmx256m");

    private static Network network;

    @Autowired
    private TensorTransferService transfers;

    @BeforeAll
    static void prepare() throws IOException {
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
                        command.withIpam(new Ipam().withConfig(new Ipam.Config().withSubnet("10.213.78.0/24"))))
                .build();
        peer.withNetwork(network);
    }

    @AfterAll
    static void cleanUp() {
        peer.stop();
        if (network != null) {
            network.close();
        }
    }

    @Test
    void whenThePeerRunsInAContainerThenATensorReachesItWithoutAnyProperty() throws Exception {
        try (Tensor tensor = Tensor.copyOf("embeddings/container", DataType.U8, Shape.of(3), new byte[] {1, 2, 3})) {
            assertThat(transfers
                            .push("ranker", tensor)
                            .get(60, TimeUnit.SECONDS)
                            .bytes())
                    .isEqualTo(3);
        }
        // Placed is not yet stored: the receiver's listener hears of it a moment later.
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(files()).contains("\"tensors\":1", "\"bytes\":3"));
    }

    private static String files() throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(peer.url() + "/api/files"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}

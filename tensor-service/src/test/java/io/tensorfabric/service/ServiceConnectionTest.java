package io.tensorfabric.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.autoconfigure.FabricConnectionDetails;
import io.tensorfabric.service.store.TensorStore;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.test.container.FabricPeerContainer;
import io.tensorfabric.transfer.TensorTransferService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.annotation.DirtiesContext;
import org.testcontainers.utility.DockerImageName;

/**
 * What an application gets of a peer in a container by {@code @ServiceConnection}, without an engine: what the container would
 * run, with its environment, runs in this process.
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "fabric.memory.host.slab-size=16MB",
            "fabric.memory.host.max-size=64MB",
            "fabric.landing.zone-size=4MB",
            // Two applications in one process on a busy machine.
            "fabric.connection.negotiation-timeout=30s"
        })
@DirtiesContext
class ServiceConnectionTest {

    @ServiceConnection
    static final FabricPeerContainer ranker = new InThisProcess("ranker");

    @Autowired
    private TensorTransferService transfers;

    @Autowired
    private FabricConnectionDetails connection;

    private static final class InThisProcess extends FabricPeerContainer {

        private @Nullable ConfigurableApplicationContext service;

        InThisProcess(String name) {
            super(DockerImageName.parse("no/image"), name);
        }

        @Override
        public void start() {
            if (service != null) {
                return;
            }
            List<String> arguments = new ArrayList<>(List.of(
                    "--server.address=127.0.0.1",
                    "--server.port=0",
                    "--spring.jmx.enabled=false",
                    "--fabric.soft.bind-address=127.0.0.1",
                    "--fabric.memory.host.slab-size=16MB",
                    "--fabric.memory.host.max-size=64MB",
                    "--fabric.landing.zone-size=4MB"));
            getEnvMap().forEach((name, value) -> {
                if (!name.equals("FABRIC_SOFT_BIND_ADDRESS")) {
                    arguments.add("--"
                            + name.replaceFirst("_", ".")
                                    .replaceFirst("SECURITY_", "SECURITY.")
                                    .replace('_', '-')
                                    .toLowerCase(Locale.ROOT)
                            + "=" + value);
                }
            });
            service =
                    new SpringApplicationBuilder(TensorServiceApplication.class).run(arguments.toArray(String[]::new));
        }

        @Override
        public void stop() {
            if (service != null) {
                service.close();
            }
        }

        @Override
        public boolean isRunning() {
            return service != null;
        }

        @Override
        public String getDockerImageName() {
            return "no/image:latest";
        }

        @Override
        public String getHost() {
            return "127.0.0.1";
        }

        @Override
        public Integer getMappedPort(int port) {
            assertThat(port).isEqualTo(PORT);
            return ((WebServerApplicationContext) service()).getWebServer().getPort();
        }

        @Override
        public String applicationAddress() {
            return "127.0.0.1";
        }

        private ConfigurableApplicationContext service() {
            assertThat(service).as("the container runs").isNotNull();
            return service;
        }
    }

    @Test
    void whenAContainerIsAServiceConnectionThenItIsAPeerAndTakesPushes() throws Exception {
        assertThat(connection.peers()).singleElement().satisfies(peer -> {
            assertThat(peer.name()).isEqualTo("ranker");
            assertThat(peer.url()).isEqualTo("http://127.0.0.1:" + ranker.getMappedPort(FabricPeerContainer.PORT));
        });
        assertThat(connection.sharedSecret()).hasSizeGreaterThan(40).isEqualTo(ranker.sharedSecret());
        try (Tensor tensor = Tensor.copyOf("embeddings/x", DataType.U8, Shape.of(3), new byte[] {1, 2, 3})) {
            assertThat(transfers
                            .push("ranker", tensor)
                            .get(60, TimeUnit.SECONDS)
                            .bytes())
                    .isEqualTo(3);
        }
        // Placed is not yet stored: the receiver's listener hears of it a moment later.
        TensorStore stored = ((InThisProcess) ranker).service().getBean(TensorStore.class);
        await().atMost(Duration.ofSeconds(20)).until(() -> stored.usedBytes() > 0);
    }
}

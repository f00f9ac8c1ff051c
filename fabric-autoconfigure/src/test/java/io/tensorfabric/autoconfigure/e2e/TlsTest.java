package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.TensorTransferService;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The negotiation over TLS, with SSL bundles at both ends. */
@Timeout(120)
class TlsTest {

    private static final String PASSWORD = "changeit";

    @TempDir
    private static Path folder;

    private static Path store;

    @BeforeAll
    static void makeCertificate() throws Exception {
        store = folder.resolve("node.p12");
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "node",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD))
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes());
        assertThat(keytool.waitFor()).as(output).isZero();
    }

    private static String[] bundle(String kind, String... more) {
        String prefix = "spring.ssl.bundle.jks.node." + kind;
        String[] properties = new String[more.length + 2];
        properties[0] = prefix + ".location=file:" + store;
        properties[1] = prefix + ".password=" + PASSWORD;
        System.arraycopy(more, 0, properties, 2, more.length);
        return properties;
    }

    @Test
    void whenBothEndsHaveTheirBundleThenTensorsArriveElseTheFailureSaysSo() throws Exception {
        try (Node ranker = new Node("ranker-t", "127.0.0.1", bundle("keystore", "server.ssl.bundle=node"));
                Tensor tensor = Tensor.copyOf("embeddings/tls", DataType.U8, Shape.of(1), new byte[] {7})) {
            String peer = "fabric.peers=ranker=" + ranker.uri();
            assertThat(peer).contains("https://");
            try (Node trusting = new Node(
                    "trusting", "127.0.0.1", bundle("truststore", "fabric.negotiation.ssl.bundle=node", peer))) {
                trusting.bean(TensorTransferService.class)
                        .push("ranker", tensor)
                        .get(40, TimeUnit.SECONDS);
                assertThat(ranker.bean(Node.Listener.class).seen.poll(10, TimeUnit.SECONDS))
                        .isNotNull();
            }
            try (Node stranger = new Node("stranger", "127.0.0.1", peer)) {
                assertThatThrownBy(() -> stranger.bean(TensorTransferService.class)
                                .push("ranker", tensor)
                                .get(40, TimeUnit.SECONDS))
                        .hasMessageContaining("fabric.negotiation.ssl.bundle");
            }
        }
    }
}

package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.TensorTransferService;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates change while applications run, as cert-manager or Vault do it. */
@Timeout(180)
class CertificateReloadTest {

    private static final String PREFIX = "spring.ssl.bundle.jks.node.";

    private static final String QUIET = "spring.ssl.bundle.watch.file.quiet-period=200ms";

    @Test
    void whenCertificatesAreReplacedThenBothEndsUseTheNewOnesWithoutARestart(@TempDir Path folder) throws Exception {
        Certificates certificates = new Certificates(folder);
        Path first = certificates.keyStore("first", "ranker");
        Path second = certificates.keyStore("second", "ranker");
        Path trustFirst = certificates.trustStore("first", first);
        Path trustSecond = certificates.trustStore("second", second);
        Path key = folder.resolve("key.p12");
        Path trust = folder.resolve("trust.p12");
        Certificates.replace(key, first);
        Certificates.replace(trust, trustFirst);
        try (Node ranker = new Node(
                        "ranker-r",
                        "127.0.0.1",
                        QUIET,
                        "server.ssl.bundle=node",
                        PREFIX + "reload-on-update=true",
                        PREFIX + "keystore.location=file:" + key,
                        PREFIX + "keystore.password=" + Certificates.PASSWORD);
                Node feeder = new Node(
                        "feeder-r",
                        "127.0.0.1",
                        QUIET,
                        "fabric.negotiation.ssl.bundle=node",
                        "fabric.resilience.retry.attempts=1",
                        "fabric.peers=ranker=" + ranker.uri(),
                        PREFIX + "reload-on-update=true",
                        PREFIX + "truststore.location=file:" + trust,
                        PREFIX + "truststore.password=" + Certificates.PASSWORD)) {
            pushAnew(feeder);
            assertThat(subject(ranker.uri())).isEqualTo("CN=first");
            Certificates.replace(key, second);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> subject(ranker.uri()).equals("CN=second"));
            Certificates.replace(trust, trustSecond);
            await().atMost(Duration.ofSeconds(60))
                    .ignoreException(ExecutionException.class)
                    .untilAsserted(() -> pushAnew(feeder));
            Certificates.replace(trust, trustFirst);
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThatThrownBy(() -> pushAnew(feeder))
                            .hasMessageContaining("could not be trusted over TLS"));
        }
    }

    /** Over a new connection, which is negotiated anew. */
    private static void pushAnew(Node from) throws Exception {
        var connections = from.bean(FabricLifecycle.class).requireNode().connections();
        connections.disconnect("ranker", Duration.ofSeconds(5));
        connections.resetBackoff("ranker");
        try (Tensor tensor = Tensor.copyOf("embeddings/r", DataType.U8, Shape.of(1), new byte[] {7})) {
            from.bean(TensorTransferService.class).push("ranker", tensor).get(20, TimeUnit.SECONDS);
        }
    }

    private static String subject(URI uri) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Trusting()}, null);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(uri.getHost(), uri.getPort())) {
            socket.startHandshake();
            X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return certificate.getSubjectX500Principal().getName();
        }
    }

    /** Only looks. */
    private static final class Trusting implements X509TrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.TensorTransferService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers that prove who they are by certificate, without a shared secret. */
@Timeout(120)
class MutualTlsTest {

    @TempDir
    private static Path folder;

    private static Path rankerKey;

    private static Path feederKey;

    private static Path otherKey;

    private static Path trust;

    @BeforeAll
    static void makeCertificates() throws Exception {
        Certificates certificates = new Certificates(folder);
        rankerKey = certificates.keyStore("ranker", "ranker-m");
        feederKey = certificates.keyStore("feeder", "feeder-m");
        otherKey = certificates.keyStore("other", "feeders.example");
        trust = certificates.trustStore("all", rankerKey, feederKey, otherKey);
    }

    private static Node node(String id, Path key, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "fabric.security.shared-secret=",
                "fabric.security.mutual-tls=true",
                "fabric.negotiation.ssl.bundle=node",
                "spring.ssl.bundle.jks.node.truststore.location=file:" + trust,
                "spring.ssl.bundle.jks.node.truststore.password=" + Certificates.PASSWORD,
                "server.ssl.bundle=node",
                "server.ssl.client-auth=want"));
        if (key != null) {
            properties.add("spring.ssl.bundle.jks.node.keystore.location=file:" + key);
            properties.add("spring.ssl.bundle.jks.node.keystore.password=" + Certificates.PASSWORD);
        } else {
            properties.remove("server.ssl.bundle=node");
            properties.remove("server.ssl.client-auth=want");
        }
        properties.addAll(List.of(more));
        return new Node(id, "127.0.0.1", properties.toArray(String[]::new));
    }

    private static void push(Node from) throws Exception {
        try (Tensor tensor = Tensor.copyOf("embeddings/m", DataType.U8, Shape.of(1), new byte[] {7})) {
            from.bean(TensorTransferService.class).push("ranker", tensor).get(40, TimeUnit.SECONDS);
        }
    }

    private static void assertRefused(Node ranker, Node from, String words) {
        assertThatThrownBy(() -> push(from)).hasMessageContaining(words);
        assertThat(ranker.bean(FabricLifecycle.class)
                        .requireNode()
                        .connections()
                        .connections())
                .isEmpty();
        assertThat(ranker.bean(Node.Listener.class).seen).isEmpty();
    }

    @Test
    void whenACertificateHoldsTheNodeIdThenItIsLetInElseNot() throws Exception {
        try (Node ranker = node("ranker-m", rankerKey)) {
            String peer = "fabric.peers=ranker=" + ranker.uri();
            try (Node nobody = node("feeder-m", null, peer)) {
                assertRefused(ranker, nobody, "client certificate");
            }
            try (Node impostor = node("feeder-m", otherKey, peer)) {
                assertRefused(ranker, impostor, "does not speak for the node");
            }
            try (Node feeder = node("feeder-m", feederKey, peer)) {
                push(feeder);
                assertThat(ranker.bean(Node.Listener.class).seen.poll(10, TimeUnit.SECONDS))
                        .isNotNull();
            }
        }
    }

    @Test
    void whenTheAllowListNamesACertificateThenItStandsForTheNodeAndGivesItsRights() throws Exception {
        try (Node ranker = node(
                "ranker-m",
                rankerKey,
                "fabric.security.allowed-peers[0].node=feeder-*",
                "fabric.security.allowed-peers[0].certificate=feeders.example",
                "fabric.security.allowed-peers[0].rights=push",
                "fabric.security.allowed-peers[1].node=reader",
                "fabric.security.allowed-peers[1].certificate=feeder-m",
                "fabric.security.allowed-peers[1].rights=pull")) {
            String peer = "fabric.peers=ranker=" + ranker.uri();
            try (Node impostor = node("feeder-m", feederKey, peer)) {
                assertRefused(ranker, impostor, "does not speak for the node");
            }
            try (Node unknown = node("other", otherKey, peer)) {
                assertRefused(ranker, unknown, "does not speak for the node");
            }
            try (Node unlisted = node("ranker-m2", rankerKey, peer)) {
                assertRefused(ranker, unlisted, "does not speak for the node");
            }
            try (Node reader = node("reader", feederKey, peer)) {
                assertThatThrownBy(() -> push(reader)).hasMessageContaining("may not push");
            }
            try (Node feeder = node("feeder-7", otherKey, peer)) {
                push(feeder);
                assertThat(ranker.bean(Node.Listener.class).seen.poll(10, TimeUnit.SECONDS))
                        .isNotNull();
            }
        }
    }

    @Test
    void whenAPeerIsConfiguredWithItsNodeIdThenAnotherOneIsNotTakenForIt() throws Exception {
        try (Node ranker = node("ranker-m", rankerKey);
                Node feeder = node(
                        "feeder-m",
                        feederKey,
                        "fabric.peers[0].name=ranker",
                        "fabric.peers[0].url=" + ranker.uri(),
                        "fabric.peers[0].node-id=ranker-x")) {
            assertRefused(ranker, feeder, "configured as node ranker-x");
        }
    }
}

package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.LocalNetwork.Call;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases C03, C07, C12, C17 and what else a negotiation may meet. */
@Timeout(120)
class NegotiationTest {

    static ConnectionException failureOf(CompletableFuture<Connection> future) {
        try {
            future.orTimeout(20, java.util.concurrent.TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            return (ConnectionException) e.getCause();
        }
        throw new AssertionError("connected");
    }

    private static TwoNodes withMtus(Mtu deviceA, Mtu deviceB, Mtu capB) {
        return TwoNodes.start(builder -> {
            boolean isB = builder.name().equals(TwoNodes.B);
            ConnectionOptions.LinkOptions link = ConnectionOptions.LinkOptions.defaults();
            ConnectionOptions.LinkOptions capped = new ConnectionOptions.LinkOptions(
                    link.timeout(), link.retryCount(), link.rnrRetry(), link.minRnrTimer(), 0, 0, 64, capB);
            return builder.device(SoftDeviceOptions.defaults().withMtu(isB ? deviceB : deviceA))
                    .options(TwoNodes.quickOptions().link(isB ? capped : link).build());
        });
    }

    @ParameterizedTest
    @CsvSource({
        "MTU_4096, MTU_1024, MTU_4096, 1024",
        "MTU_1024, MTU_4096, MTU_4096, 1024",
        "MTU_4096, MTU_4096, MTU_2048, 2048"
    })
    void whenMtusDifferThenBothEndsUseTheSmaller(Mtu deviceA, Mtu deviceB, Mtu capB, int expected) {
        try (TwoNodes nodes = withMtus(deviceA, deviceB, capB)) {
            Connection connection = nodes.connect();
            assertThat(connection.mtu()).isEqualTo(expected);
            assertThat(nodes.otherEnd().mtu()).isEqualTo(expected);
        }
    }

    private static ConnectRequest request(String nodeId, int mtu, int version, String provider) {
        return new ConnectRequest(
                version,
                UUID.randomUUID().toString(),
                new NodeIdentity(nodeId, "1"),
                provider,
                new PathOffer("0000:0000:0000:0000:0000:ffff:7f00:0001", 0, mtu, "SOFTWARE", "ROCE_V2"),
                List.of(new LaneOffer(0, LanePurpose.CONTROL, 17, 4711, 64, null)));
    }

    @ParameterizedTest
    @ValueSource(ints = {3000, 0})
    void whenAPeerSendsAnMtuThatDoesNotExistThenItIsMalformed(int mtu) {
        try (TwoNodes nodes = TwoNodes.start()) {
            assertThatThrownBy(() -> nodes.b().manager().connect(request("stranger", mtu, 1, "soft")))
                    .isInstanceOfSatisfying(
                            ConnectionException.class, e -> assertThat(e.kind()).isEqualTo(Kind.MALFORMED))
                    .hasMessageContaining(String.valueOf(mtu));
            assertThat(nodes.b().manager().connections()).isEmpty();
        }
    }

    @Test
    void whenARequestIsForeignThenItIsRefusedClearly() {
        try (TwoNodes nodes = TwoNodes.start()) {
            NegotiationHandler b = nodes.b().manager();
            assertThatThrownBy(() -> b.connect(request("x", 1024, 2, "soft"))).hasMessageContaining("version 2");
            assertThatThrownBy(() -> b.connect(request("x", 1024, 1, "ibverbs")))
                    .hasMessageContaining("'ibverbs'")
                    .hasMessageContaining("soft");
            assertThatThrownBy(() -> b.connect(request(TwoNodes.B, 1024, 1, "soft")))
                    .hasMessageContaining("node id of this node");
            assertThatThrownBy(() -> b.connect(request("evil\nid", 1024, 1, "soft")))
                    .hasMessageContaining("letters, digits");
            assertThatThrownBy(() -> b.established(UUID.randomUUID().toString(), established("x")))
                    .isInstanceOfSatisfying(
                            ConnectionException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
            b.close(UUID.randomUUID().toString(), TwoNodes.A);
        }
    }

    private static EstablishedRequest established(String nodeId) {
        return new EstablishedRequest(new NodeIdentity(nodeId, "1"), List.of("RTS"), List.of());
    }

    @Test
    void whenSixtyFourThreadsConnectAtOnceThenThereIsOneNegotiation() {
        try (TwoNodes nodes = TwoNodes.start()) {
            CyclicBarrier barrier = new CyclicBarrier(64);
            List<CompletableFuture<Connection>> futures = IntStream.range(0, 64)
                    .mapToObj(i -> {
                        CompletableFuture<Connection> result = new CompletableFuture<>();
                        Thread thread = new Thread(() -> {
                            try {
                                barrier.await();
                                result.complete(TwoNodes.connect(nodes.a(), TwoNodes.B));
                            } catch (Exception e) {
                                result.completeExceptionally(e);
                            }
                        });
                        thread.start();
                        return result;
                    })
                    .toList();
            assertThat(futures)
                    .allSatisfy(future ->
                            assertThat(future.join()).isSameAs(futures.get(0).join()));
            assertThat(nodes.network().count(Call.CONNECT)).isEqualTo(1);
            assertThat(nodes.a().manager().connections()).hasSize(1);
        }
    }

    @Test
    void whenOneNodeHasTwoNamesThenTheyShareOneConnection() {
        try (TwoNodes nodes = TwoNodes.start()) {
            nodes.network().alias("10.0.0.5", TwoNodes.B);
            Connection byName = nodes.connect();
            Connection byAddress = TwoNodes.connect(nodes.a(), "10.0.0.5");
            assertThat(byAddress).isSameAs(byName);
            assertThat(nodes.a().manager().find("10.0.0.5")).isSameAs(byName);
            assertThat(nodes.network().count(Call.CONNECT)).isEqualTo(1);
        }
    }

    @Test
    void whenOneEndOffersALoopbackAddressForDataThenItIsRefused() {
        try (TwoNodes nodes = TwoNodes.start()) {
            ConnectRequest remote = new ConnectRequest(
                    1,
                    UUID.randomUUID().toString(),
                    new NodeIdentity("remote", "1"),
                    "soft",
                    new PathOffer("0000:0000:0000:0000:0000:ffff:0a00:0005", 0, 1024, "SOFTWARE", "ROCE_V2"),
                    List.of(new LaneOffer(0, LanePurpose.CONTROL, 17, 4711, 64, null)));
            assertThatThrownBy(() -> nodes.b().manager().connect(remote))
                    .isInstanceOfSatisfying(
                            ConnectionException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                    .hasMessageContaining("loopback");
        }
    }

    @Test
    void whenThePeerIsThisNodeOrNotConfiguredThenConnectSaysSo() {
        try (TwoNodes nodes = TwoNodes.start()) {
            nodes.network().alias("self", TwoNodes.A);
            assertThat(failureOf(nodes.a().manager().connect("self")))
                    .hasMessageContaining("this node itself")
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
            assertThat(failureOf(nodes.a().manager().connect("nobody")))
                    .hasMessageContaining("'nobody'")
                    .hasMessageContaining(TwoNodes.B)
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.UNKNOWN_PEER));
        }
    }

    /** Case C12 wants 1000 failures in a row. */
    private static final int RTR_FAILURES = 1000;

    @Test
    void whenRtrAlwaysFailsThenEachFailureTellsEverythingAndNothingStays() {
        // Few queue pairs: leaked ones would end the test early.
        try (TwoNodes nodes = TwoNodes.start(
                builder -> builder.device(SoftDeviceOptions.defaults().withMaxQueuePairs(8))
                        .options(TwoNodes.quickOptions()
                                .reconnectBackoff(Duration.ofNanos(1))
                                .maxReconnectBackoff(Duration.ofNanos(1))
                                .build()))) {
            nodes.a().faults().failCall("ibv_modify_qp:RTR", Errno.ETIMEDOUT, RTR_FAILURES);
            QueuePairConnectionManager manager = nodes.a().manager();
            for (int i = 0; i < RTR_FAILURES; i++) {
                ConnectionException failure = failureOf(manager.connect(TwoNodes.B));
                assertThat(failure)
                        .hasMessageContainingAll(
                                "INIT -> RTR of lane 0", "ETIMEDOUT", "soft0", "port 1", "GID index 0", TwoNodes.B);
                assertThat(manager.connections()).isEmpty();
            }
            assertThat(manager.peers()).singleElement().satisfies(status -> {
                assertThat(status.state()).isEqualTo(PeerState.FAILED);
                assertThat(status.attempts()).isEqualTo(RTR_FAILURES);
            });
            assertThat(manager.negotiationFailures().get(0)).satisfies(failure -> {
                assertThat(failure.step()).isEqualTo("INIT -> RTR of lane 0");
                assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT);
                assertThat(failure.device()).isEqualTo("soft0");
                assertThat(failure.port()).isEqualTo(1);
                assertThat(failure.gidIndex()).isZero();
                assertThat(failure.peer()).isEqualTo(TwoNodes.B);
            });
            assertThat(nodes.connect().state()).isEqualTo(ConnectionState.UP);
        }
    }

    @Test
    void whenTheAnsweringEndFailsThenBothEndsAreCleanAndTheCauseTravels() {
        try (TwoNodes nodes = TwoNodes.start()) {
            nodes.b().faults().failCall("ibv_create_qp", Errno.ENOMEM, 1);
            assertThat(failureOf(nodes.a().manager().connect(TwoNodes.B)))
                    .hasMessageContaining("creating the queue pair of lane 0")
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.LIMIT));
            assertThat(nodes.a().manager().connections()).isEmpty();
            assertThat(nodes.b().manager().connections()).isEmpty();
            assertThat(nodes.b().manager().negotiationFailures()).hasSize(1);
            assertThat(nodes.connect().state()).isEqualTo(ConnectionState.UP);
        }
    }

    @Test
    void whenTheAnswerIsLostThenTheHalfOpenConnectionGoesAwayAndTheNextAttemptWorks() {
        try (TwoNodes nodes = TwoNodes.start()) {
            nodes.network().setHook(new LocalNetwork.Hook() {
                @Override
                public void response(Call call, String from, String to) {
                    if (call == Call.CONNECT) {
                        throw new ConnectionException(Kind.UNREACHABLE, to, "the answer was lost");
                    }
                }

                @Override
                public void request(Call call, String from, String to) {
                    if (call == Call.CLOSE) {
                        throw new ConnectionException(Kind.UNREACHABLE, to, "the request was lost");
                    }
                }
            });
            assertThat(failureOf(nodes.a().manager().connect(TwoNodes.B))).hasMessageContaining("was lost");
            assertThat(nodes.b().manager().connections()).hasSize(1);
            nodes.network().setHook(new LocalNetwork.Hook() {});
            assertThat(nodes.connect().state()).isEqualTo(ConnectionState.UP);
            assertThat(nodes.b().manager().connections()).hasSize(1);
        }
    }

    @Test
    void whenTheInitiatorVanishesThenTheResponderReapsTheHalfOpenConnection() {
        try (TwoNodes nodes = TwoNodes.start(builder -> builder.options(TwoNodes.quickOptions()
                .negotiationTimeout(Duration.ofMillis(500))
                .probeTimeout(Duration.ofMillis(200))
                .build()))) {
            nodes.network().setHook(new LocalNetwork.Hook() {
                @Override
                public void request(Call call, String from, String to) {
                    if (call == Call.ESTABLISHED || call == Call.CLOSE) {
                        throw new ConnectionException(Kind.UNREACHABLE, to, "the request was lost");
                    }
                }
            });
            failureOf(nodes.a().manager().connect(TwoNodes.B));
            assertThat(nodes.b().manager().connections()).hasSize(1);
            await().atMost(Duration.ofSeconds(3))
                    .until(() -> nodes.b().manager().connections().isEmpty());
            assertThat(nodes.b().recording().downs()).hasSize(1);
        }
    }

    @Test
    void whenARequestIsRepeatedThenItGetsTheSameAnswer() {
        try (TwoNodes nodes = TwoNodes.start();
                TestNode c = TestNode.builder("node-c", nodes.network()).start()) {
            assertThat(c.manager().connections()).isEmpty();
            ConnectRequest request = request("stranger", 1024, 1, "soft");
            ConnectRequest withAddress = new ConnectRequest(
                    1,
                    request.connectionId(),
                    request.initiator(),
                    "soft",
                    request.path(),
                    List.of(new LaneOffer(0, LanePurpose.CONTROL, 17, 4711, 64, softAddress())));
            ConnectResponse first = nodes.b().manager().connect(withAddress);
            assertThat(nodes.b().manager().connect(withAddress)).isSameAs(first);
            assertThat(nodes.b().manager().connections()).hasSize(1);
            nodes.b().manager().close(request.connectionId(), "stranger");
            await().until(() -> nodes.b().manager().connections().isEmpty());
        }
    }

    private static String softAddress() {
        return "soft:127.0.0.1:1:" + "00".repeat(32);
    }

    @Test
    void whenPrintedThenNoSecretIsInAnyRecord() {
        try (TwoNodes nodes = TwoNodes.start()) {
            ConnectRequest request = new ConnectRequest(
                    1,
                    UUID.randomUUID().toString(),
                    new NodeIdentity("stranger", "1"),
                    "soft",
                    new PathOffer("0000:0000:0000:0000:0000:ffff:7f00:0001", 0, 1024, "SOFTWARE", "ROCE_V2"),
                    List.of(new LaneOffer(0, LanePurpose.CONTROL, 17, 4711, 64, softAddress())));
            ConnectResponse response = nodes.b().manager().connect(request);
            String printed = request + " " + response;
            assertThat(printed).doesNotContain("00".repeat(32));
            assertThat(response.lanes().get(0).providerAddress()).isNotNull();
            assertThat(printed).doesNotContain(response.lanes().get(0).providerAddress());
            ZoneGrant zone = response.zones().get(0);
            assertThat(printed)
                    .doesNotContain(String.valueOf(zone.address()))
                    .doesNotContain(String.valueOf(zone.rkeys().get(0)));
        }
    }
}

package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.LocalNetwork.Call;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases C04, C06, C13, C18 and the loss of a peer. */
@Timeout(120)
class ReconnectTest {

    private static final int RESTARTS = 5;

    /** Case C13 wants 60. */
    private static final int FAULT_SECONDS = Integer.getInteger("fabric.test.faultSeconds", 7);

    /** Case C06 wants 200; the random delays make each last 0.5 s. */
    private static final int CROSSINGS = Integer.getInteger("fabric.test.crossings", 15);

    private static void exchange(Connection connection) throws Exception {
        for (Lane lane : connection.lanes()) {
            assertThat(Sends.await(Sends.message(lane, 1))).isEqualTo(WorkCompletionStatus.SUCCESS);
        }
    }

    /** As a push with retries does: tries until a message arrives. */
    private static Connection pushUntilItWorks(TestNode node, String peer) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (System.nanoTime() - deadline < 0) {
            try {
                Connection connection = node.manager().connect(peer).get(5, TimeUnit.SECONDS);
                Transmission transmission = connection.lanes().get(0).begin(1, true);
                if (transmission != null) {
                    transmission.message(Sends.TYPE).putLong(1);
                    if (Sends.await(Sends.submit(transmission)) == WorkCompletionStatus.SUCCESS) {
                        return connection;
                    }
                }
            } catch (java.util.concurrent.ExecutionException e) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        throw new AssertionError("no message went through within 5 s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"receiver", "sender"})
    void whenOneEndIsKilledAndRestartedThenTheNextPushWorksOnAFreshConnection(String victim) throws Exception {
        try (TwoNodes nodes = TwoNodes.start()) {
            Connection before = pushUntilItWorks(nodes.a(), TwoNodes.B);
            for (int round = 0; round < RESTARTS; round++) {
                if (victim.equals("receiver")) {
                    nodes.b().kill();
                    nodes.restartB();
                } else {
                    nodes.a().kill();
                    nodes.restartA();
                }
                Connection after = pushUntilItWorks(nodes.a(), TwoNodes.B);
                assertThat(after.id()).isNotEqualTo(before.id());
                for (TestNode node : List.of(nodes.a(), nodes.b())) {
                    await().atMost(Duration.ofSeconds(5))
                            .untilAsserted(() -> assertThat(node.manager().connections())
                                    .extracting(Connection::id)
                                    .containsExactly(after.id()));
                }
                before = after;
            }
        }
    }

    @Test
    void whenAPeerRestartsThenItsRequestEndsTheOldConnectionAtOnce() throws Exception {
        try (TwoNodes nodes = TwoNodes.start()) {
            Connection old = nodes.connect();
            nodes.a().kill();
            nodes.restartA();
            assertThat(nodes.b().manager().connections()).hasSizeLessThanOrEqualTo(1);
            Connection fresh = pushUntilItWorks(nodes.a(), TwoNodes.B);
            await().untilAsserted(() -> assertThat(nodes.b().manager().connections())
                    .extracting(Connection::id)
                    .containsExactly(fresh.id()));
            assertThat(nodes.b().recording().downs()).extracting(Connection::id).containsExactly(old.id());
        }
    }

    @Test
    @Timeout(600)
    void whenBothEndsConnectAtOnceThenOneConnectionServesBoth() throws Exception {
        Random random = new Random(6);
        try (TwoNodes nodes = TwoNodes.start()) {
            nodes.network().setHook(new LocalNetwork.Hook() {
                @Override
                public void response(Call call, String from, String to) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(200)));
                }
            });
            for (int round = 0; round < CROSSINGS; round++) {
                long begun = System.nanoTime();
                CyclicBarrier barrier = new CyclicBarrier(2);
                CompletableFuture<Connection> a = racing(barrier, nodes.a(), TwoNodes.B);
                CompletableFuture<Connection> b = racing(barrier, nodes.b(), TwoNodes.A);
                Connection fromA = a.get(5, TimeUnit.SECONDS);
                Connection fromB = b.get(5, TimeUnit.SECONDS);
                exchange(fromA);
                exchange(fromB);
                assertThat(fromA.id()).as("round %d", round).isEqualTo(fromB.id());
                assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(5));
                await().untilAsserted(() -> {
                    assertThat(nodes.a().manager().connections()).containsExactly(fromA);
                    assertThat(nodes.b().manager().connections()).containsExactly(fromB);
                });
                fromA.fail(new ConnectionException(Kind.LOST, TwoNodes.B, "the next round begins"));
                nodes.b().manager().disconnect(TwoNodes.A, Duration.ofSeconds(5));
                await().until(() -> nodes.a().manager().connections().isEmpty()
                        && nodes.b().manager().connections().isEmpty());
            }
        }
    }

    private static CompletableFuture<Connection> racing(CyclicBarrier barrier, TestNode node, String peer) {
        CompletableFuture<Connection> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                barrier.await();
                node.manager().resetBackoff(peer);
                node.manager().connect(peer).whenComplete((connection, error) -> {
                    if (error == null) {
                        result.complete(connection);
                    } else {
                        result.completeExceptionally(error);
                    }
                });
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        thread.start();
        return result;
    }

    @Test
    void whenEveryPostFailsThenNegotiationsGrowRare() {
        try (TwoNodes nodes = TwoNodes.start(builder -> builder.options(TwoNodes.quickOptions()
                .reconnectBackoff(Duration.ofMillis(100))
                .maxReconnectBackoff(Duration.ofSeconds(30))
                .build()))) {
            List<Long> attempts = new CopyOnWriteArrayList<>();
            nodes.network().setHook(new LocalNetwork.Hook() {
                @Override
                public void request(Call call, String from, String to) {
                    if (call == Call.CONNECT) {
                        attempts.add(System.nanoTime());
                    }
                }
            });
            nodes.a().faults().failWorkRequests(0, Long.MAX_VALUE, WorkCompletionStatus.LOC_PROT_ERR);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(FAULT_SECONDS);
            int failures = 0;
            ConnectionException last = null;
            while (System.nanoTime() - end < 0) {
                try {
                    nodes.a()
                            .manager()
                            .connect(TwoNodes.B)
                            .get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (java.util.concurrent.TimeoutException e) {
                    break;
                } catch (java.util.concurrent.ExecutionException e) {
                    failures++;
                    last = (ConnectionException) e.getCause();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            assertThat(attempts).hasSizeBetween(3, 10);
            assertThat(failures).isPositive();
            assertThat(last).isNotNull();
            assertThat(last.getMessage()).contains("LOC_PROT_ERR");
            List<Long> gaps = new ArrayList<>();
            for (int i = 1; i < attempts.size(); i++) {
                gaps.add(attempts.get(i) - attempts.get(i - 1));
            }
            assertThat(gaps.get(gaps.size() - 1)).isGreaterThan(4 * gaps.get(0));
            assertThat(nodes.a().manager().peers()).singleElement().satisfies(peer -> {
                assertThat(peer.state()).isIn(PeerState.FAILED, PeerState.CONNECTING);
                assertThat(peer.failures()).isEqualTo(attempts.size());
                assertThat(peer.lastFailure()).contains("LOC_PROT_ERR");
            });
        }
    }

    @Test
    void whenTheBackoffIsLongThenConnectFailsAtOnceWithTheCause() {
        try (TwoNodes nodes = TwoNodes.start(builder -> builder.options(TwoNodes.quickOptions()
                .reconnectBackoff(Duration.ofSeconds(20))
                .maxReconnectBackoff(Duration.ofSeconds(20))
                .build()))) {
            nodes.network().detach(TwoNodes.B);
            assertThat(NegotiationTest.failureOf(nodes.a().manager().connect(TwoNodes.B)))
                    .hasMessageContaining("Nothing listens");
            assertThat(NegotiationTest.failureOf(nodes.a().manager().connect(TwoNodes.B)))
                    .hasMessageContaining("next attempt may begin in")
                    .hasMessageContaining("Nothing listens");
            nodes.network().attach(TwoNodes.B, nodes.b().manager());
            nodes.a().manager().resetBackoff(TwoNodes.B);
            assertThat(nodes.connect().state()).isEqualTo(ConnectionState.UP);
        }
    }

    private static TwoNodes withHeartbeats(Consumer<ConnectionOptions.Builder> change) {
        return TwoNodes.start(builder -> {
            ConnectionOptions.Builder options = TwoNodes.quickOptions()
                    .heartbeatInterval(Duration.ofMillis(100))
                    .heartbeatTimeout(Duration.ofSeconds(1));
            change.accept(options);
            return builder.options(options.build());
        });
    }

    @Test
    void whenThePeerFallsSilentThenTheConnectionIsLost() {
        // Retry count 7 is for ever on some devices: the heartbeat alone must find out.
        ConnectionOptions.LinkOptions patient =
                new ConnectionOptions.LinkOptions(20, 7, 6, 12, 0, 0, 64, io.tensorfabric.verbs.Mtu.MTU_4096);
        try (TwoNodes nodes = withHeartbeats(options -> options.link(patient))) {
            Connection connection = nodes.connect();
            nodes.b().faults().traffic().stallMessages(true);
            nodes.b().faults().traffic().stallAcks(true);
            await().atMost(Duration.ofSeconds(10)).until(() -> connection.state() == ConnectionState.DOWN);
            assertThat(connection.failure())
                    .hasMessageContaining("no heartbeat for 1000 ms")
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.LOST));
            nodes.b().faults().clear();
        }
    }

    @Test
    void whenIdleThenHeartbeatsKeepTheConnection() {
        try (TwoNodes nodes = withHeartbeats(options -> {})) {
            Connection connection = nodes.connect();
            await().during(Duration.ofSeconds(3))
                    .atMost(Duration.ofSeconds(4))
                    .until(() -> connection.state() == ConnectionState.UP);
        }
    }

    @Test
    void whenAnotherPortFailsThenNothingHappensAndWhenTheOwnOneDoesThenQueuePairsAreMadeAnew() throws Exception {
        try (TwoNodes nodes = TwoNodes.start(
                builder -> builder.device(SoftDeviceOptions.defaults().withPortCount(2)))) {
            Connection connection = nodes.connect();
            nodes.a().faults().setPortState(2, PortState.DOWN);
            for (int i = 0; i < 50; i++) {
                exchange(connection);
                LockSupport.parkNanos(2_000_000);
            }
            assertThat(connection.state()).isEqualTo(ConnectionState.UP);
            nodes.a().faults().setPortState(1, PortState.DOWN);
            await().until(() -> connection.state() == ConnectionState.DOWN);
            assertThat(connection.failure()).hasMessageContaining("PORT_ERR");
            assertThat(NegotiationTest.failureOf(nodes.a().manager().connect(TwoNodes.B)))
                    .hasMessageContaining("not ACTIVE");
            nodes.a().faults().setPortState(1, PortState.ACTIVE);
            long active = System.nanoTime();
            Connection fresh = pushUntilItWorks(nodes.a(), TwoNodes.B);
            assertThat(System.nanoTime() - active).isLessThan(TimeUnit.SECONDS.toNanos(2));
            assertThat(fresh.queuePairs())
                    .extracting(QueuePairStatus::number)
                    .doesNotContainAnyElementsOf(connection.queuePairs().stream()
                            .map(QueuePairStatus::number)
                            .toList());
        }
    }

    @Test
    void whenAnotherGidChangesThenNothingHappensAndWhenTheOwnOneGoesThenTheConnectionIsMadeAnew() throws Exception {
        try (TwoNodes nodes = TwoNodes.start()) {
            Connection connection = nodes.connect();
            List<GidEntry> before = nodes.a().device().context().queryGidTable(1);
            List<GidEntry> longer = new ArrayList<>(before);
            longer.add(new GidEntry(
                    before.size(), Gid.parse("fe80:0000:0000:0000:0000:0000:0000:0001"), GidType.ROCE_V2, "eth9"));
            nodes.a().faults().setGidTable(1, longer);
            for (int i = 0; i < 50; i++) {
                exchange(connection);
                LockSupport.parkNanos(2_000_000);
            }
            assertThat(connection.state()).isEqualTo(ConnectionState.UP);
            nodes.a().faults().setGidTable(1, longer.subList(before.size(), longer.size()));
            await().until(() -> connection.state() == ConnectionState.DOWN);
            assertThat(connection.failure()).hasMessageContaining("GID_CHANGE");
            nodes.a().faults().setGidTable(1, before);
            assertThat(pushUntilItWorks(nodes.a(), TwoNodes.B).id()).isNotEqualTo(connection.id());
        }
    }

    @Test
    void whenAConnectionIsLostThenTheStatesOfBothEndsAreKeptWithTimeAndReason() {
        try (TwoNodes nodes = TwoNodes.start()) {
            Connection connection = nodes.connect();
            nodes.a().faults().setPortState(1, PortState.DOWN);
            await().until(() -> !nodes.a().manager().endedConnections().isEmpty());
            EndedConnection ended = nodes.a().manager().endedConnections().get(0);
            assertThat(ended.id()).isEqualTo(connection.id());
            assertThat(ended.initiator()).isTrue();
            assertThat(ended.failure()).contains("PORT_ERR");
            for (QueuePairStatus lane : ended.queuePairs()) {
                assertThat(lane.history())
                        .extracting(QueuePairTransition::state)
                        .containsExactly(
                                QueuePairState.RESET,
                                QueuePairState.INIT,
                                QueuePairState.RTR,
                                QueuePairState.RTS,
                                QueuePairState.ERR);
                assertThat(lane.history()).extracting(QueuePairTransition::time).isSorted();
                assertThat(lane.history().get(4).reason()).contains("PORT_ERR");
                assertThat(lane.peerHistory())
                        .extracting(QueuePairTransition::state)
                        .containsExactly(QueuePairState.RTS);
            }
            assertThat(nodes.otherEnd().queuePairs().get(0).peerHistory())
                    .extracting(QueuePairTransition::state)
                    .containsExactly(QueuePairState.INIT, QueuePairState.RTS);
            nodes.a().faults().setPortState(1, PortState.ACTIVE);
        }
    }

    @Test
    void whenBothNodesAreBoundToIpv6OnlyThenTheyConnect() throws Exception {
        InetAddress loopback = InetAddress.getByName("::1");
        try (TwoNodes nodes = TwoNodes.start(
                builder -> builder.device(SoftDeviceOptions.defaults().withBindAddress(loopback)))) {
            exchange(nodes.connect());
        }
    }
}

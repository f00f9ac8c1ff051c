package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.HostMemoryProvider;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.testing.LocalNetwork.Call;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftFaults;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ends of connections, grants, limits. */
@Timeout(60)
class TeardownTest {

    private static TwoNodes withWindows(boolean windows) {
        return TwoNodes.start(builder -> builder.deviceOptions(
                FabricDeviceOptions.builder().memoryWindows(windows).build()));
    }

    private static ZoneGrant asZone(RemoteGrant grant, int lanes) {
        List<Integer> rkeys = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            rkeys.add(grant.rkey(i));
        }
        return new ZoneGrant(99, grant.address(), grant.length(), "host", rkeys, false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenAGrantIsClosedThenThePeerCanNoLongerWrite(boolean windows) throws Exception {
        try (TwoNodes nodes = withWindows(windows);
                BufferLease source = nodes.a().pool().acquire(64, "test");
                BufferLease target = nodes.b().pool().acquire(4096, "test")) {
            assertThat(nodes.b().device().usesMemoryWindows()).isEqualTo(windows);
            Connection connection = nodes.connect();
            OffHeap.fill(target.address(), 4096, (byte) 0);
            OffHeap.fill(source.address(), 64, (byte) 1);
            RemoteGrant grant = nodes.otherEnd().grant(target, Duration.ofSeconds(2));
            ZoneGrant zone = asZone(grant, connection.lanes().size());
            for (Lane lane : connection.lanes()) {
                assertThat(Sends.await(Sends.write(lane, source, 64, zone, 0))).isEqualTo(WorkCompletionStatus.SUCCESS);
            }
            grant.close();
            grant.close();
            OffHeap.fill(target.address(), 4096, (byte) 0);
            assertThat(Sends.await(Sends.write(connection.lanes().get(1), source, 64, zone, 0)))
                    .isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            assertThat(OffHeap.getByte(target.address())).isZero();
        }
    }

    /** Memory that calls back when it is allocated, which happens while the lanes of the first connection are made. */
    private record WatchedMemory(MemoryProvider memory, Runnable allocating) implements MemoryProvider {

        @Override
        public MemoryKind kind() {
            return memory.kind();
        }

        @Override
        public long allocate(long bytes, long alignment) {
            allocating.run();
            return memory.allocate(bytes, alignment);
        }

        @Override
        public void free(long address) {
            memory.free(address);
        }
    }

    @Test
    void whenClosedWhileItsLanesAreMadeThenTheTeardownWaitsAndNothingIsLeft() {
        CompletableFuture<TwoNodes> started = new CompletableFuture<>();
        CompletableFuture<FabricConnection> half = new CompletableFuture<>();
        Runnable close = () -> {
            if (started.isDone() && !half.isDone()) {
                FabricConnection made = (FabricConnection)
                        started.join().a().manager().connections().get(0);
                made.fail(new ConnectionException(Kind.CLOSED, TwoNodes.B, "closed in the middle"));
                assertThatThrownBy(() -> made.whenDown().get(300, TimeUnit.MILLISECONDS))
                        .isInstanceOf(TimeoutException.class);
                half.complete(made);
            }
        };
        try (TwoNodes nodes = TwoNodes.start(builder -> builder.companion(device -> new TestNode.Companion() {
            @Override
            public MemoryProvider hostMemory() {
                return new WatchedMemory(new HostMemoryProvider(), close);
            }
        }))) {
            started.complete(nodes);
            assertThatThrownBy(() -> nodes.a().manager().connect(TwoNodes.B).get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("closed");
            assertThat(half).isCompleted();
            await().until(() -> half.join().whenDown().isDone());
        }
    }

    @Test
    void whenAWindowIsBoundToOneLaneThenItsKeyIsOfNoUseOnAnother() throws Exception {
        try (TwoNodes nodes = withWindows(true);
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            Connection connection = nodes.connect();
            ZoneGrant zone = nodes.a().recording().zonesOf(connection).get(0);
            Transmission transmission = Sends.begin(connection.lanes().get(1), 1, false);
            transmission.write(
                    source.address(),
                    64,
                    source.region().lkey(),
                    zone.address(),
                    zone.rkeys().get(0));
            assertThat(Sends.await(Sends.submit(transmission))).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    /** Windows of devices that enforce them, none, and windows of devices that do not. */
    private static TwoNodes withWindows(String windows) {
        return TwoNodes.start(builder -> {
            SoftFaults faults = new SoftFaults();
            faults.ignoreWindowBounds(windows.equals("ignored"));
            return builder.device(SoftDeviceOptions.builder().faults(faults).build())
                    .deviceOptions(FabricDeviceOptions.builder()
                            .memoryWindows(!windows.equals("off"))
                            .build());
        });
    }

    @ParameterizedTest
    @CsvSource({
        "enforced, true, 'used, bounds enforced'",
        "off, false, switched off",
        "ignored, false, 'not used, the device does not enforce their bounds'"
    })
    void whenWrittenPastAGrantThenItIsRefusedWithoutWindowsToo(String windows, boolean used, String text)
            throws Exception {
        try (TwoNodes nodes = withWindows(windows);
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            assertThat(nodes.b().device().usesMemoryWindows()).isEqualTo(used);
            assertThat(nodes.b().device().memoryWindows()).isEqualTo(text);
            Connection connection = nodes.connect();
            ZoneGrant zone = nodes.a().recording().zonesOf(connection).get(0);
            Transmission transmission = Sends.begin(connection.lanes().get(0), 1, false);
            transmission.write(
                    source.address(),
                    64,
                    source.region().lkey(),
                    zone.address() + zone.size() - 63,
                    zone.rkeys().get(0));
            assertThat(Sends.await(Sends.submit(transmission))).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            await().until(() -> nodes.b().recording().downs().size() == 1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenAConnectionFailsThenEverythingEndsInOrder(boolean held) throws Exception {
        try (TwoNodes nodes = TwoNodes.start();
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            Connection connection = nodes.connect();
            ZoneGrant zone = nodes.a().recording().zonesOf(connection).get(0);
            List<String> events = new CopyOnWriteArrayList<>();
            nodes.a().manager().addListener((changed, from, to) -> events.add(from + ">" + to));
            nodes.a().faults().holdCompletions(held);
            List<CompletableFuture<WorkCompletionStatus>> ends = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ends.add(Sends.write(connection.lanes().get(i % 2), source, 64, zone, 0));
            }
            connection.fail(new ConnectionException(Kind.LOST, TwoNodes.B, "the test ends it"));
            connection.fail(new ConnectionException(Kind.LOST, TwoNodes.B, "again"));
            await().atMost(Duration.ofSeconds(10)).until(() -> connection.state() == ConnectionState.DOWN);
            await().until(() -> nodes.a().recording().downs().size() == 1);
            assertThat(ends).allSatisfy(end -> assertThat(Sends.now(end)).isNotNull());
            assertThat(events).containsExactly("UP>DRAINING", "DRAINING>DOWN");
            assertThat(connection.failure()).hasMessage("the test ends it");
            assertThat(connection.lanes().get(0).begin(1, false)).isNull();
            assertThat(connection.queuePairs())
                    .allSatisfy(status -> assertThat(status.state()).isEqualTo(QueuePairState.ERR))
                    .allSatisfy(status -> assertThat(status.reason()).contains("the test ends it"));
            try (BufferLease lease = nodes.a().pool().acquire(64, "test")) {
                assertThatThrownBy(() -> connection.grant(lease, Duration.ofSeconds(1)))
                        .isInstanceOf(ConnectionException.class);
            }
            nodes.a().faults().holdCompletions(false);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> nodes.b().recording().downs().size() == 1);
        }
    }

    @Test
    void whenClosedInOrderThenWhatIsInFlightArrivesAndThereIsNoFailure() throws Exception {
        try (TwoNodes nodes = TwoNodes.start()) {
            Connection connection = nodes.connect();
            Connection other = nodes.otherEnd();
            nodes.a().faults().traffic().delayMessages(Duration.ofMillis(200));
            List<CompletableFuture<WorkCompletionStatus>> ends = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                ends.add(Sends.message(connection.lanes().get(i % 2), i));
            }
            nodes.a().manager().disconnect(TwoNodes.B, Duration.ofSeconds(5));
            for (CompletableFuture<WorkCompletionStatus> end : ends) {
                assertThat(Sends.await(end)).isEqualTo(WorkCompletionStatus.SUCCESS);
            }
            await().until(() -> other.state() == ConnectionState.DOWN && connection.state() == ConnectionState.DOWN);
            assertThat(nodes.b().recording().messages()).hasSize(10);
            assertThat(connection.failure()).isNull();
            assertThat(other.failure()).isNull();
            assertThat(nodes.a().manager().peers())
                    .singleElement()
                    .satisfies(peer -> assertThat(peer.state()).isEqualTo(PeerState.IDLE));
            nodes.a().faults().clear();
            assertThat(nodes.connect().id()).isNotEqualTo(connection.id());
        }
    }

    @Test
    void whenAZoneIsAskedForThenThePeerOpensItInBothDirections() throws Exception {
        try (TwoNodes nodes = TwoNodes.start();
                BufferLease source = nodes.a().pool().acquire(1 << 20, "test")) {
            Connection connection = nodes.connect();
            ZoneGrant zone = connection.requestZone(1 << 20, Duration.ofSeconds(2));
            assertThat(zone.size()).isEqualTo(1 << 20);
            assertThat(Sends.await(Sends.write(connection.lanes().get(1), source, 1 << 20, zone, 0)))
                    .isEqualTo(WorkCompletionStatus.SUCCESS);
            // B never asked who A is: it finds out on demand.
            assertThat(nodes.otherEnd().requestZone(4096, Duration.ofSeconds(2)).size())
                    .isEqualTo(4096);
            assertThat(nodes.network().count(Call.OPEN_ZONE)).isEqualTo(2);
            assertThat(nodes.otherEnd().peerName()).isEqualTo(TwoNodes.A);
        }
    }

    @Test
    void whenTheLimitOfConnectionsIsReachedThenTheErrorNamesIt() {
        try (TwoNodes nodes = TwoNodes.start(builder -> builder.options(TwoNodes.quickOptions()
                        .maxConnections(1)
                        .evictionIdle(Duration.ofMinutes(1))
                        .build()));
                TestNode c = TestNode.builder("node-c", nodes.network())
                        .peers(TwoNodes.B)
                        .start()) {
            nodes.connect();
            assertThat(NegotiationTest.failureOf(c.manager().connect(TwoNodes.B)))
                    .hasMessageContaining("connection limit 1")
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.LIMIT));
            assertThat(c.manager().connections()).isEmpty();
        }
    }

    @Test
    void whenTheDeviceHasNoQueuePairLeftThenConnectSaysSoAndNothingStays() {
        try (TwoNodes nodes = TwoNodes.start();
                TestNode c = TestNode.builder("node-c", nodes.network())
                        .peers(TwoNodes.B)
                        .start()) {
            nodes.connect();
            // As when other processes have taken the rest.
            nodes.b().faults().failCall("ibv_create_qp", Errno.ENOMEM, 1);
            assertThat(NegotiationTest.failureOf(c.manager().connect(TwoNodes.B)))
                    .hasMessageContaining("creating the queue pair of lane 0")
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.LIMIT));
            assertThat(nodes.b().manager().connections()).hasSize(1);
        }
    }

    @Test
    void whenANodeQuiescesThenItAnswersNoRequestAndMayStillConnectItself() {
        try (TwoNodes nodes = TwoNodes.start()) {
            nodes.b().manager().quiesce();
            assertThat(NegotiationTest.failureOf(nodes.a().manager().connect(TwoNodes.B)))
                    .hasMessageContaining("node-b is shutting down")
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CLOSED));
            assertThat(TwoNodes.connect(nodes.b(), TwoNodes.A).state()).isEqualTo(ConnectionState.UP);
        }
    }

    @Test
    void whenIdleThenPollersSleep() {
        try (TwoNodes nodes = TwoNodes.start()) {
            nodes.connect();
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long before = pollerCpu(threads);
            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
            assertThat(pollerCpu(threads) - before).isLessThan(TimeUnit.MILLISECONDS.toNanos(200));
        }
    }

    private static long pollerCpu(ThreadMXBean threads) {
        long sum = 0;
        for (long id : threads.getAllThreadIds()) {
            var info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().startsWith("fabric-cq-")) {
                sum += threads.getThreadCpuTime(id);
            }
        }
        return sum;
    }

    @Test
    void whenAManagerIsClosedThenItRefusesAndClosingAgainIsHarmless() {
        TwoNodes nodes = TwoNodes.start();
        nodes.connect();
        QueuePairConnectionManager manager = nodes.a().manager();
        nodes.close();
        manager.close(Duration.ofSeconds(1));
        assertThat(NegotiationTest.failureOf(manager.connect(TwoNodes.B)).kind())
                .isEqualTo(Kind.CLOSED);
        assertThatThrownBy(manager::start).isInstanceOf(IllegalStateException.class);
        assertThat(manager.connections()).isEmpty();
    }
}

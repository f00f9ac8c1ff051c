package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.WorkCompletions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Cases W02, W05, W06, W07, W10. */
@Timeout(120)
class LaneTest {

    private static final Duration NO_HEARTBEATS = Duration.ofMinutes(1);

    @AfterEach
    void nothingEndedTwice() {
        assertThat(Sends.ENDED_TWICE).isEmpty();
    }

    static TwoNodes withoutHeartbeats(int bulkLanes, int depth, FabricDeviceOptions deviceOptions) {
        return TwoNodes.start(builder -> builder.deviceOptions(deviceOptions)
                .options(TwoNodes.quickOptions()
                        .bulkLanes(bulkLanes)
                        .controlDepth(depth)
                        .bulkDepth(depth)
                        .heartbeatInterval(NO_HEARTBEATS)
                        .heartbeatTimeout(NO_HEARTBEATS.multipliedBy(2))
                        .build()));
    }

    static TwoNodes withoutHeartbeats(int bulkLanes) {
        return withoutHeartbeats(bulkLanes, 128, FabricDeviceOptions.defaults());
    }

    static ZoneGrant zone(TwoNodes nodes, Connection connection) {
        return nodes.a().recording().zonesOf(connection).get(0);
    }

    @Test
    void whenManyPushThroughASmallCompletionQueueThenItNeverOverruns() throws Exception {
        int pushes = 10_000;
        int threads = 8;
        try (TwoNodes nodes = withoutHeartbeats(
                3, 32, FabricDeviceOptions.builder().completions(16, 1024).build())) {
            Connection connection = nodes.connect();
            ZoneGrant zone = zone(nodes, connection);
            AtomicInteger ok = new AtomicInteger();
            CountDownLatch all = new CountDownLatch(pushes);
            Random random = new Random(2);
            AtomicInteger pauses = new AtomicInteger(10);
            try (BufferLease source = nodes.a().pool().acquire(64, "test")) {
                for (int t = 0; t < threads; t++) {
                    int number = t;
                    Thread thread = new Thread(() -> {
                        for (int i = 0; i < pushes / threads; i++) {
                            Lane lane = connection.lanes().get((number + i) % 4);
                            Transmission transmission = Sends.begin(lane, 1, false);
                            transmission.write(
                                    source.address(),
                                    64,
                                    source.region().lkey(),
                                    zone.address(),
                                    zone.rkeys().get(lane.index()));
                            transmission.submit(
                                    (on, token, status, vendor) -> {
                                        if (random.nextInt(500) == 0 && pauses.getAndDecrement() > 0) {
                                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                                        }
                                        if (status == WorkCompletionStatus.SUCCESS) {
                                            ok.incrementAndGet();
                                        }
                                        all.countDown();
                                    },
                                    i);
                        }
                    });
                    thread.start();
                }
                assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(ok).hasValue(pushes);
            CompletionQueueStatus sends = nodes.a().device().completionQueues().get(0);
            assertThat(sends.capacity()).isEqualTo(16);
            assertThat(sends.peakOutstanding()).isLessThanOrEqualTo(16);
            assertThat(sends.broken()).isFalse();
            assertThat(nodes.a().device().failure()).isNull();
        }
    }

    @Test
    void whenOneOfManyFailsThenTheRestIsFlushedAndEachEndsOnce() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger("io.tensorfabric.connection");
        logger.addAppender(log);
        try (TwoNodes nodes = withoutHeartbeats(1)) {
            Connection connection = nodes.connect();
            ZoneGrant zone = zone(nodes, connection);
            Lane lane = connection.lanes().get(0);
            Map<WorkCompletionStatus, Long> before = nodes.a().device().completionCounters();
            List<CompletableFuture<WorkCompletionStatus>> ends = new ArrayList<>();
            try (BufferLease source = nodes.a().pool().acquire(64, "test")) {
                nodes.a().faults().traffic().delayMessages(Duration.ofMillis(300));
                for (int i = 0; i < 100; i++) {
                    ends.add(Sends.write(lane, source, 64, zone, i == 9 ? 0x5500 : 0));
                }
                for (int i = 0; i < 100; i++) {
                    assertThat(Sends.await(ends.get(i)))
                            .as("push %d", i)
                            .isEqualTo(
                                    i < 9
                                            ? WorkCompletionStatus.SUCCESS
                                            : i == 9
                                                    ? WorkCompletionStatus.REM_ACCESS_ERR
                                                    : WorkCompletionStatus.WR_FLUSH_ERR);
                }
            }
            await().until(() -> connection.state() == ConnectionState.DOWN);
            assertThat(connection.failure())
                    .hasMessageContaining("REM_ACCESS_ERR")
                    .satisfies(e -> assertThat(e.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR));
            Map<WorkCompletionStatus, Long> after = nodes.a().device().completionCounters();
            assertThat(after.get(WorkCompletionStatus.REM_ACCESS_ERR)).isEqualTo(1);
            assertThat(after.get(WorkCompletionStatus.WR_FLUSH_ERR)).isEqualTo(90);
            assertThat(after.get(WorkCompletionStatus.SUCCESS) - before.get(WorkCompletionStatus.SUCCESS))
                    .isEqualTo(9);
            assertThat(log.list)
                    .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN)
                            && event.getFormattedMessage().contains(TwoNodes.B))
                    .singleElement()
                    .satisfies(event -> assertThat(event.getFormattedMessage()).contains("REM_ACCESS_ERR"));
            assertThat(log.list)
                    .noneMatch(event -> event.getFormattedMessage().contains(String.valueOf(zone.address())));
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void whenAFailedCompletionCarriesRubbishThenItsIdAloneDecides() throws Exception {
        try (TwoNodes nodes = withoutHeartbeats(1);
                WorkCompletions rubbish = WorkCompletions.allocate(1);
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            Connection connection = nodes.connect();
            nodes.a().faults().holdCompletions(true);
            QueuePairLane lane = (QueuePairLane) connection.lanes().get(0);
            CompletableFuture<WorkCompletionStatus> first = Sends.write(lane, source, 64, zone(nodes, connection), 0);
            CompletableFuture<WorkCompletionStatus> second = Sends.write(lane, source, 64, zone(nodes, connection), 0);
            Random random = new Random(6);
            for (int i = 0; i < 100; i++) {
                fill(rubbish, random, WorkCompletionStatus.WR_FLUSH_ERR);
                lane.completed(random.nextInt(1 << 29) | (1 << 28), 5, rubbish, 0);
                ((FabricConnection) connection)
                        .laneSet()
                        .receiveQueue()
                        .completed(-1 - random.nextInt(99), 5, rubbish, 0);
            }
            assertThat(Sends.now(first)).isNull();
            fill(rubbish, random, WorkCompletionStatus.LOC_PROT_ERR);
            int slotOfSecond = findSlot(lane, second, rubbish);
            assertThat(slotOfSecond).isNotNegative();
            assertThat(Sends.now(second)).isEqualTo(WorkCompletionStatus.LOC_PROT_ERR);
            assertThat(Sends.now(first)).isNull();
            nodes.a().faults().holdCompletions(false);
            assertThat(Sends.await(first)).isNotNull();
        }
    }

    private static void fill(WorkCompletions completions, Random random, WorkCompletionStatus status) {
        for (int i = 0; i < WorkCompletions.STRIDE; i += 4) {
            OffHeap.putInt(completions.address() + i, random.nextInt());
        }
        OffHeap.putInt(completions.address() + WorkCompletions.OFFSET_STATUS, status.code());
    }

    /** The second transmission has the slot after the first one's. */
    private static int findSlot(
            QueuePairLane lane, CompletableFuture<WorkCompletionStatus> end, WorkCompletions completions) {
        int posted = -1;
        for (int slot = 0; slot < lane.slots().count(); slot++) {
            if (lane.slots().isPosted(slot)) {
                posted = slot;
            }
        }
        lane.completed(posted | WorkIds.LAST, WorkCompletionStatus.LOC_PROT_ERR.code(), completions, 0);
        return posted;
    }

    @Test
    void whenListenersThrowThenThePollerGoesOn() throws Exception {
        try (TwoNodes nodes = withoutHeartbeats(1);
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            Connection connection = nodes.connect();
            ZoneGrant zone = zone(nodes, connection);
            CountDownLatch all = new CountDownLatch(1000);
            Map<String, Thread> threads = new ConcurrentHashMap<>();
            for (int i = 0; i < 1000; i++) {
                int number = i;
                Lane lane = connection.lanes().get(i % 2);
                Transmission transmission = Sends.begin(lane, 1, false);
                transmission.write(
                        source.address(),
                        64,
                        source.region().lkey(),
                        zone.address(),
                        zone.rkeys().get(lane.index()));
                transmission.submit(
                        (on, token, status, vendor) -> {
                            threads.put(Thread.currentThread().getName(), Thread.currentThread());
                            all.countDown();
                            misbehave(number);
                        },
                        i);
            }
            assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(threads).containsOnlyKeys("fabric-cq-soft0-0");
            assertThat(threads.values()).allMatch(Thread::isAlive);
            assertThat(Sends.await(Sends.message(connection.lanes().get(0), 1)))
                    .isEqualTo(WorkCompletionStatus.SUCCESS);
        }
    }

    private static void misbehave(int number) {
        switch (number % 40) {
            case 0 -> throw new IllegalStateException("thrown by the test");
            case 10 -> throw new AssertionError("thrown by the test");
            case 20 -> throw new StackOverflowError("thrown by the test");
            case 30 -> Thread.currentThread().interrupt();
            default -> {
                // Behaves.
            }
        }
    }

    @Test
    void whenQueuePairsShareACompletionQueueThenEachTransmissionEndsWithItsOwnResult() throws Exception {
        String[] names = {"peer-0", "peer-1", "peer-2", "peer-3"};
        ConnectionOptions options = TwoNodes.quickOptions().bulkLanes(0).build();
        LocalNetwork network = new LocalNetwork();
        List<TestNode> peers = new ArrayList<>();
        for (String name : names) {
            peers.add(TestNode.builder(name, network).options(options).start());
        }
        try (TestNode node = TestNode.builder("node", network)
                        .peers(names)
                        .options(options)
                        .start();
                BufferLease source = node.pool().acquire(64, "test")) {
            List<Connection> connections =
                    Stream.of(names).map(name -> TwoNodes.connect(node, name)).toList();
            node.faults()
                    .traffic(connections.get(0).queuePairs().get(0).number())
                    .delayMessages(Duration.ofMillis(300));
            List<CompletableFuture<WorkCompletionStatus>> ends = new ArrayList<>();
            List<Integer> order = new CopyOnWriteArrayList<>();
            for (int i = 0; i < names.length; i++) {
                int number = i;
                Connection connection = connections.get(i);
                ZoneGrant zone = node.recording().zonesOf(connection).get(0);
                CompletableFuture<WorkCompletionStatus> end =
                        Sends.write(connection.lanes().get(0), source, 64, zone, i == 2 ? 0x5500 : 0);
                ends.add(end.whenComplete((status, error) -> order.add(number)));
            }
            assertThat(Sends.await(ends.get(0))).isEqualTo(WorkCompletionStatus.SUCCESS);
            assertThat(Sends.await(ends.get(1))).isEqualTo(WorkCompletionStatus.SUCCESS);
            assertThat(Sends.await(ends.get(2))).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            assertThat(Sends.await(ends.get(3))).isEqualTo(WorkCompletionStatus.SUCCESS);
            assertThat(order).hasSize(4).last().isEqualTo(0);
            assertThat(connections.get(0).state()).isEqualTo(ConnectionState.UP);
        } finally {
            peers.forEach(TestNode::close);
        }
    }
}

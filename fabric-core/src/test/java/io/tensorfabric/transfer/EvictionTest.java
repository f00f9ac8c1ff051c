package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionOptions;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.connection.PeerState;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Case C14: more peers than the device has queue pairs for. */
@Timeout(180)
class EvictionTest {

    private static final int PEERS = 100;

    private static final int MAX_QUEUE_PAIRS = 64;

    private static final int THREADS = 16;

    private static final int ROUNDS = 3;

    private static ConnectionOptions.Builder options() {
        return TwoNodes.quickOptions()
                .bulkLanes(1)
                .controlDepth(8)
                .bulkDepth(8)
                .receiveCredits(8)
                .negotiationTimeout(Duration.ofSeconds(10))
                .evictionIdle(Duration.ofMillis(50));
    }

    private static TestNode node(
            LocalNetwork network, String name, ConnectionOptions options, SoftDeviceOptions device, String... peers) {
        return TestNode.builder(name, network)
                .peers(peers)
                .device(device)
                .options(options)
                .poolOptions(new MemoryPoolOptions(1 << 20, 64 << 20, 256, Duration.ofSeconds(5)))
                .handler(node -> SoftPair.transfers(
                        node,
                        TransferOptions.builder().landingZoneSize(16 << 10).build()))
                .start();
    }

    private static FabricTransfers transfers(TestNode node) {
        return (FabricTransfers) node.handler();
    }

    private static void close(List<TestNode> nodes) {
        nodes.forEach(node -> transfers(node).close(Duration.ofSeconds(5)));
        nodes.forEach(TestNode::close);
    }

    @Test
    void whenThereAreMorePeersThanQueuePairsThenUnusedConnectionsMakeRoom() throws Exception {
        LocalNetwork network = new LocalNetwork();
        List<TestNode> nodes = new ArrayList<>();
        String[] names = new String[PEERS];
        AtomicInteger received = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Tensor tensor = tensor("t", 1024, 1)) {
            for (int i = 0; i < PEERS; i++) {
                names[i] = "peer-" + i;
                TestNode peer = node(network, names[i], options().build(), SoftDeviceOptions.defaults());
                nodes.add(peer);
                transfers(peer).register("count", "*", "*", tensorReceived -> {
                    received.incrementAndGet();
                    tensorReceived.close();
                });
            }
            SoftDeviceOptions limited = SoftDeviceOptions.defaults().toBuilder()
                    .maxQueuePairs(MAX_QUEUE_PAIRS)
                    .build();
            TestNode hub = node(network, "hub", options().build(), limited, names);
            nodes.add(0, hub);
            for (int round = 0; round < ROUNDS; round++) {
                BlockingQueue<String> left = new LinkedBlockingQueue<>(List.of(names));
                List<Future<?>> pushes = new ArrayList<>();
                for (int t = 0; t < THREADS; t++) {
                    pushes.add(threads.submit(() -> {
                        for (String peer = left.poll(); peer != null; peer = left.poll()) {
                            transfers(hub).push(peer, tensor).get(30, TimeUnit.SECONDS);
                        }
                        return null;
                    }));
                }
                for (Future<?> push : pushes) {
                    push.get(60, TimeUnit.SECONDS);
                }
                assertThat(hub.manager().connections()).hasSizeLessThanOrEqualTo(MAX_QUEUE_PAIRS / 2);
            }
            await().untilAsserted(() -> assertThat(received).hasValue(PEERS * ROUNDS));
            assertThat(hub.manager().evictions()).isGreaterThanOrEqualTo(PEERS - MAX_QUEUE_PAIRS / 2);
        } finally {
            threads.shutdownNow();
            close(nodes);
        }
        // What is left of a device shows when it is closed, as an exception.
        nodes.forEach(node -> assertThat(node.manager().connections()).isEmpty());
    }

    @Test
    void whenAllConnectionsAreInUseThenTheErrorNamesTheLimitAndComesInTime() throws Exception {
        LocalNetwork network = new LocalNetwork();
        ConnectionOptions one = options()
                .maxQueuePairs(2)
                .negotiationTimeout(Duration.ofSeconds(1))
                .build();
        TestNode first = node(network, "first", options().build(), SoftDeviceOptions.defaults());
        TestNode second = node(network, "second", options().build(), SoftDeviceOptions.defaults());
        TestNode hub = node(network, "hub", one, SoftDeviceOptions.defaults(), "first", "second");
        BlockingQueue<ReceivedTensor> kept = new LinkedBlockingQueue<>();
        try (Tensor tensor = tensor("t", 1024, 1)) {
            hub.faults().delayCompletions(Duration.ZERO);
            transfers(first).register("all", "*", "*", kept::add);
            transfers(second).register("all", "*", "*", ReceivedTensor::close);
            transfers(hub).push("first", tensor).get(10, TimeUnit.SECONDS);
            // A push that does not end keeps its connection in use.
            first.faults().traffic().stallMessages(true);
            transfers(hub).push("first", tensor, PushOptions.defaults().withDeadline(Duration.ofSeconds(20)));
            long begin = System.nanoTime();
            PushOptions patient = PushOptions.defaults().withDeadline(Duration.ofSeconds(10));
            TransferException e = PushTest.failure(transfers(hub).push("second", tensor, patient));
            assertThat(e.kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
            assertThat(e).hasMessageContaining("connection limit 2 queue pairs");
            assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(5));
            first.faults().clear();
            await().until(() -> transfers(hub).statistics().pushesInFlight() == 0);
            hub.manager().resetBackoff("second");
            transfers(hub).push("second", tensor).get(10, TimeUnit.SECONDS);
        } finally {
            kept.forEach(ReceivedTensor::close);
            close(List.of(hub, first, second));
        }
    }

    @Test
    void whenNobodyUsesAConnectionForTheConfiguredTimeThenItIsClosedAndMadeAnewOnDemand() throws Exception {
        LocalNetwork network = new LocalNetwork();
        ConnectionOptions impatient =
                options().idleTimeout(Duration.ofMillis(300)).build();
        TestNode peer = node(network, "peer", options().build(), SoftDeviceOptions.defaults());
        TestNode hub = node(network, "hub", impatient, SoftDeviceOptions.defaults(), "peer");
        try (Tensor tensor = tensor("t", 1024, 1)) {
            transfers(peer).register("all", "*", "*", ReceivedTensor::close);
            transfers(hub).push("peer", tensor).get(10, TimeUnit.SECONDS);
            assertThat(hub.manager().connections()).hasSize(1);
            await().until(() -> hub.manager().connections().isEmpty());
            assertThat(hub.manager().peers())
                    .singleElement()
                    .satisfies(status -> assertThat(status.state()).isEqualTo(PeerState.IDLE));
            assertThat(hub.manager().endedConnections()).singleElement().satisfies(ended -> {
                assertThat(ended.failure()).isNull();
                assertThat(ended.wasUp()).isTrue();
            });
            transfers(hub).push("peer", tensor).get(10, TimeUnit.SECONDS);
            assertThat(hub.manager().connections()).allMatch(connection -> connection.state() == ConnectionState.UP);
        } finally {
            close(List.of(hub, peer));
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionOptions;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.LocalNetwork.Call;
import io.tensorfabric.testing.TestNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many nodes lose the same one at once, and all of them want it back. */
@Timeout(120)
class StormTest {

    private static final int NODES = 20;

    private static final Duration DOWN = Duration.ofSeconds(4);

    private static TestNode node(LocalNetwork network, String name, String... peers) {
        return TestNode.builder(name, network)
                .peers(peers)
                .options(ConnectionOptions.builder()
                        .controlDepth(8)
                        .bulkDepth(8)
                        .receiveCredits(8)
                        .build())
                .poolOptions(new MemoryPoolOptions(1 << 20, 64 << 20, 256, Duration.ofSeconds(5)))
                .handler(node -> SoftPair.transfers(
                        node,
                        TransferOptions.builder().landingZoneSize(16 << 10).build()))
                .start();
    }

    private static FabricTransfers transfers(TestNode node) {
        return (FabricTransfers) node.handler();
    }

    private static TestNode hub(LocalNetwork network, Set<String> seen) {
        TestNode hub = node(network, "hub");
        transfers(hub).register("seen", "*", "*", received -> {
            seen.add(received.peerNodeId());
            received.close();
        });
        return hub;
    }

    @Test
    void whenManyNodesLoseAPeerAtOnceThenTheirNegotiationsStayFewAndAllReachItAgain() throws Exception {
        LocalNetwork network = new LocalNetwork();
        Set<String> seen = ConcurrentHashMap.newKeySet();
        TestNode hub = hub(network, seen);
        List<TestNode> nodes = new ArrayList<>();
        List<Thread> pushers = new ArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        try (Tensor tensor = tensor("t", 1000, 1)) {
            for (int i = 0; i < NODES; i++) {
                TestNode node = node(network, "node-" + i, "hub");
                nodes.add(node);
                pushers.add(new Thread(() -> pushAllTheTime(node, tensor, over)));
            }
            pushers.forEach(Thread::start);
            await().atMost(Duration.ofSeconds(20)).until(() -> seen.size() == NODES);
            hub.kill();
            int before = network.count(Call.CONNECT);
            LockSupport.parkNanos(DOWN.toNanos());
            seen.clear();
            hub = hub(network, seen);
            long begin = System.nanoTime();
            await().atMost(Duration.ofSeconds(40)).until(() -> seen.size() == NODES);
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            int negotiations = network.count(Call.CONNECT) - before;
            System.out.printf(
                    "recovery: %d nodes lost a peer for %d s: %d ms, %d negotiations%n",
                    NODES, DOWN.toSeconds(), millis, negotiations);
            assertThat(negotiations).isBetween(NODES, 2 * NODES);
        } finally {
            over.set(true);
            for (Thread pusher : pushers) {
                pusher.join();
            }
            nodes.add(hub);
            nodes.forEach(node -> transfers(node).close(Duration.ofSeconds(5)));
            nodes.forEach(TestNode::close);
        }
    }

    private static void pushAllTheTime(TestNode node, Tensor tensor, AtomicBoolean over) {
        PushOptions hasty = PushOptions.defaults().withDeadline(Duration.ofSeconds(2));
        while (!over.get()) {
            transfers(node)
                    .push("hub", tensor, hasty)
                    .handle((receipt, error) -> receipt)
                    .join();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}

package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.UnaryOperator;

/** Transfers between two nodes on software devices. Closing it looks for leaks. */
final class SoftPair implements AutoCloseable {

    private final long allocatedBefore = OffHeap.allocatedBytes();
    private final BlockingQueue<ReceivedTensor> kept = new LinkedBlockingQueue<>();
    final TwoNodes nodes;

    SoftPair(TransferOptions.Builder options) {
        this(options, builder -> builder);
    }

    SoftPair(TransferOptions.Builder options, UnaryOperator<TestNode.Builder> customizer) {
        TransferOptions built = options.build();
        nodes = TwoNodes.start(builder -> customizer
                .apply(builder.device(SoftDeviceOptions.defaults())
                        .poolOptions(new MemoryPoolOptions(64L << 20, 512L << 20, 256, Duration.ofSeconds(5))))
                .handler(node -> transfers(node, built)));
    }

    static FabricTransfers transfers(TestNode node, TransferOptions options) {
        FabricTransfers transfers = FabricTransfers.builder()
                .options(options)
                .pool(node.pool())
                .protectionDomain(node.device().protectionDomain())
                .connector(peer -> node.manager().connect(peer))
                .build();
        transfers.start();
        return transfers;
    }

    FabricTransfers a() {
        return (FabricTransfers) nodes.a().handler();
    }

    FabricTransfers b() {
        return (FabricTransfers) nodes.b().handler();
    }

    /** Registers a listener at B that keeps what it gets open. */
    BlockingQueue<ReceivedTensor> keepAtB() {
        b().register("keep", "*", "*", kept::add);
        return kept;
    }

    /** Only landing zones and the connection's own buffers are left in A's pool. */
    void awaitSourceMemoryBack() {
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(nodes.a().pool().holders())
                        .noneMatch(holder -> holder.toString().contains("copy of")));
    }

    @Override
    public void close() {
        nodes.a().faults().clear();
        nodes.b().faults().clear();
        a().close(Duration.ofSeconds(5));
        b().close(Duration.ofSeconds(5));
        kept.forEach(ReceivedTensor::close);
        nodes.close();
        assertThat(OffHeap.allocatedBytes()).isEqualTo(allocatedBefore);
    }
}

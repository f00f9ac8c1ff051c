package io.tensorfabric.test;

import io.tensorfabric.connection.ConnectionOptions;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.FabricDeviceOptions;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.QueuePairConnectionManager;
import io.tensorfabric.memory.HostMemoryProvider;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.FabricTransfers;
import io.tensorfabric.transfer.PushSpec;
import io.tensorfabric.transfer.TensorRefusedException;
import io.tensorfabric.transfer.TransferOptions;
import io.tensorfabric.transfer.TransferReceipt;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftFaults;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * A peer of the application under test, in the same process: a whole node on a software device of its own. It takes every
 * tensor and keeps a copy, unless told otherwise, and can push to the application. What it was told ends with
 * {@link #reset()}. Thread-safe.
 */
public final class FabricTestPeer implements SmartLifecycle {

    /** Before the application's own fabric, and so after it when both end. */
    private static final int PHASE = Integer.MAX_VALUE - 8192;

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final String name;

    private final TestFabricNetwork network;

    private final SoftFaults faults = new SoftFaults();

    private final Script script = new Script();

    private @Nullable Node node;

    FabricTestPeer(String name, TestFabricNetwork network) {
        this.name = name;
        this.network = network;
    }

    /** What runs. */
    private record Node(
            FabricDevice device,
            MemoryRegionPool pool,
            FabricTransfers transfers,
            QueuePairConnectionManager connections) {}

    /** Name by which the application calls it, and its node id. */
    public String name() {
        return name;
    }

    /** What has come so far, oldest first. */
    public List<CapturedTensor> received() {
        return script.received();
    }

    /** As {@link #awaitTensor(Duration)} with 10 s. */
    public CapturedTensor awaitTensor() {
        return script.await(name, Duration.ofSeconds(10));
    }

    /**
     * The next tensor that was not waited for yet.
     *
     * @param timeout how long to wait for it
     * @throws AssertionError if none comes in time
     */
    public CapturedTensor awaitTensor(Duration timeout) {
        return script.await(name, timeout);
    }

    /** Takes so long over each tensor from now on. */
    public FabricTestPeer delay(Duration value) {
        script.delay(value);
        return this;
    }

    /**
     * Fails the next tensor with an exception, instead of keeping it. A sender that waits for PROCESSED hears of it. Several
     * calls fail several tensors.
     */
    public FabricTestPeer failNext(Exception failure) {
        script.failNext(failure);
        return this;
    }

    /** Refuses the next tensor; as {@link #failNext}. */
    public FabricTestPeer refuseNext(String reason, boolean temporary) {
        return failNext(new TensorRefusedException(reason, temporary));
    }

    /** Refuses tensors before they are accepted, as a peer whose listener is paused: the application hears of backpressure. */
    public FabricTestPeer pause() {
        script.pause(true);
        return this;
    }

    /** Ends {@link #pause()}. */
    public FabricTestPeer resume() {
        script.pause(false);
        return this;
    }

    /** Breaks all connections once; the application may connect again. */
    public FabricTestPeer disconnect() {
        faults.disconnect();
        return this;
    }

    /** Vanishes: connections break, and nobody reaches it until {@link #reachable()}. */
    public FabricTestPeer unreachable() {
        network.unreachable(name, true);
        faults.traffic().refuseConnections(true);
        faults.disconnect();
        return this;
    }

    /** Ends {@link #unreachable()}. */
    public FabricTestPeer reachable() {
        network.unreachable(name, false);
        faults.traffic().refuseConnections(false);
        return this;
    }

    /** Faults of its device, for what the methods here do not do. */
    public SoftFaults faults() {
        return faults;
    }

    /** Pushes a tensor to the application's listeners. */
    public CompletableFuture<TransferReceipt> push(Tensor tensor) {
        return toApplication().push(tensor);
    }

    /** Starts a push to the application's listeners. */
    public PushSpec toApplication() {
        return running().transfers().to(TestFabricNetwork.APPLICATION);
    }

    /** Forgets what it got, closing it, and does as at the beginning. */
    public void reset() {
        faults.clear();
        reachable();
        script.reset();
    }

    private synchronized Node running() {
        if (node == null) {
            throw new IllegalStateException("Test peer '" + name + "' runs only while the application does");
        }
        return node;
    }

    @Override
    public synchronized void start() {
        if (node != null) {
            return;
        }
        FabricDevice device = FabricDevice.open(
                new SoftVerbsProvider(SoftDeviceOptions.defaults().withFaults(faults)), FabricDeviceOptions.defaults());
        MemoryRegionPool pool = MemoryRegionPool.create(
                name,
                device.protectionDomain(),
                new HostMemoryProvider(),
                new MemoryPoolOptions(16L << 20, 1L << 30, 256, Duration.ofSeconds(5)),
                true);
        Connector connector = new Connector();
        FabricTransfers transfers = FabricTransfers.builder()
                .options(TransferOptions.builder().landingZoneSize(4L << 20).build())
                .pool(pool)
                .protectionDomain(device.protectionDomain())
                .connector(connector)
                .build();
        QueuePairConnectionManager connections = QueuePairConnectionManager.builder()
                .identity(new NodeIdentity(name, UUID.randomUUID().toString()))
                .device(device)
                .messagePool(pool)
                .client(network.client(name))
                .directory(network.peersOfAPeer())
                .handler(transfers)
                .options(options())
                .build();
        connector.connections = connections;
        transfers.start();
        script.listen(transfers);
        connections.start();
        network.attach(name, connections);
        node = new Node(device, pool, transfers, connections);
    }

    /** Tests do not wait long for a peer that is back, and their machines may be busy. */
    private static ConnectionOptions options() {
        return ConnectionOptions.builder()
                .reconnectBackoff(Duration.ofMillis(50))
                .maxReconnectBackoff(Duration.ofSeconds(1))
                .heartbeatTimeout(Duration.ofSeconds(10))
                .build();
    }

    @Override
    public synchronized void stop() {
        Node ending = node;
        if (ending == null) {
            return;
        }
        node = null;
        network.detach(name);
        script.reset();
        ending.transfers().close(CLOSE_TIMEOUT);
        ending.connections().close(CLOSE_TIMEOUT);
        ending.pool().close();
        ending.device().close();
    }

    @Override
    public synchronized boolean isRunning() {
        return node != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public String toString() {
        return "FabricTestPeer[" + name + "]";
    }
}

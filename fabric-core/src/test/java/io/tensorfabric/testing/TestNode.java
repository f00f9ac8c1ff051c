package io.tensorfabric.testing;

import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionHandler;
import io.tensorfabric.connection.ConnectionOptions;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.FabricDeviceOptions;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.PeerPolicy;
import io.tensorfabric.connection.QueuePairConnectionManager;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.SharedHostMemoryProvider;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftFaults;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Function;

/** A node of a test on a software device of its own: device, pool, connection manager. Close it to find leaks. */
public final class TestNode implements AutoCloseable {

    private final String name;
    private final LocalNetwork network;
    private final SoftFaults faults;
    private final FabricDevice device;
    private final Companion companion;
    private final MemoryRegionPool pool;
    private final ConnectionHandler handler;
    private final QueuePairConnectionManager manager;
    private boolean closed;

    private TestNode(Builder builder) {
        this.name = builder.name;
        this.network = builder.network;
        this.faults = builder.device.faults();
        this.device = FabricDevice.open(new SoftVerbsProvider(builder.device), builder.deviceOptions);
        this.companion = builder.companion.apply(device);
        this.pool = MemoryRegionPool.create(
                name, device.protectionDomain(), companion.hostMemory(), builder.poolOptions, true);
        this.handler = builder.handler.apply(this);
        this.manager = QueuePairConnectionManager.builder()
                .identity(new NodeIdentity(name, UUID.randomUUID().toString()))
                .device(device)
                .messagePool(pool)
                .client(network.client(name))
                .directory(network.directory(builder.peers))
                .handler(handler)
                .options(builder.options)
                .policy(builder.policy)
                .build();
        manager.start();
        network.attach(name, manager);
    }

    /** A node of a network; its name is its node id as well. */
    public static Builder builder(String name, LocalNetwork network) {
        return new Builder(name, network);
    }

    /** Name and node id. */
    public String name() {
        return name;
    }

    /** Faults of its device. */
    public SoftFaults faults() {
        return faults;
    }

    /** Its device. */
    public FabricDevice device() {
        return device;
    }

    /** Its host memory, with memory windows allowed. */
    public MemoryRegionPool pool() {
        return pool;
    }

    /** What the builder's handler made, a {@link RecordingHandler} by default. */
    public ConnectionHandler handler() {
        return handler;
    }

    /** The default handler. */
    public RecordingHandler recording() {
        return (RecordingHandler) handler;
    }

    /** What the builder's companion made. */
    public Companion companion() {
        return companion;
    }

    /** Its connections. */
    public QueuePairConnectionManager manager() {
        return manager;
    }

    /** What lives between the device and the pool of a node. */
    public interface Companion extends AutoCloseable {

        /** What the pool is made of. */
        default MemoryProvider hostMemory() {
            return new SharedHostMemoryProvider();
        }

        @Override
        default void close() {}
    }

    /** Dies as if killed: says nothing to anybody, and answers nothing any more. */
    public void kill() {
        network.cutOff(name);
        faults.traffic().stallMessages(true);
        faults.traffic().stallAcks(true);
        faults.disconnect();
        if (endConnections(Duration.ofMillis(50))) {
            // Connections that were cut off may still be about to let go of their memory.
            await().ignoreExceptionsInstanceOf(VerbsException.class).untilAsserted(device::close);
        }
    }

    /** Closes in order; fails if anything of the device is left. */
    @Override
    public void close() {
        if (endConnections(Duration.ofSeconds(10))) {
            device.close();
        }
    }

    /** Returns false when that was done before. */
    private boolean endConnections(Duration timeout) {
        if (closed) {
            return false;
        }
        closed = true;
        manager.close(timeout);
        network.detach(name);
        pool.close();
        companion.close();
        return true;
    }

    /** Collects what a node is made of. */
    public static final class Builder {

        private final String name;
        private final LocalNetwork network;
        private String[] peers = {};
        private SoftDeviceOptions device = SoftDeviceOptions.defaults();
        private FabricDeviceOptions deviceOptions = FabricDeviceOptions.defaults();
        private MemoryPoolOptions poolOptions =
                new MemoryPoolOptions(16L << 20, 256L << 20, 256, Duration.ofSeconds(5));
        private ConnectionOptions options = ConnectionOptions.defaults();
        private PeerPolicy policy = PeerPolicy.ALLOW_ALL;
        private Function<FabricDevice, Companion> companion = device -> new Companion() {};
        private Function<TestNode, ConnectionHandler> handler = node -> new RecordingHandler(node.pool());

        private Builder(String name, LocalNetwork network) {
            this.name = name;
            this.network = network;
        }

        /** Name of the node. */
        public String name() {
            return name;
        }

        /** Names of the configured peers. */
        public Builder peers(String... value) {
            peers = value.clone();
            return this;
        }

        /** The software device. */
        public Builder device(SoftDeviceOptions value) {
            device = value;
            return this;
        }

        /** How it is opened. */
        public Builder deviceOptions(FabricDeviceOptions value) {
            deviceOptions = value;
            return this;
        }

        /** Sizes of its pool. */
        public Builder poolOptions(MemoryPoolOptions value) {
            poolOptions = value;
            return this;
        }

        /** How it connects. */
        public Builder options(ConnectionOptions value) {
            options = value;
            return this;
        }

        /** What peers may do here. */
        public Builder policy(PeerPolicy value) {
            policy = value;
            return this;
        }

        /** Makes the handler; device and pool of the given node are there, its manager is not yet. */
        public Builder handler(Function<TestNode, ConnectionHandler> value) {
            handler = value;
            return this;
        }

        /** Makes what the pool's memory comes from, and closes it after the pool. */
        public Builder companion(Function<FabricDevice, Companion> value) {
            companion = value;
            return this;
        }

        /** Makes and starts the node. */
        public TestNode start() {
            return new TestNode(this);
        }
    }
}

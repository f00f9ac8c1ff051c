package io.tensorfabric.connection;

import io.tensorfabric.memory.MemoryRegionPool;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what a {@link QueuePairConnectionManager} needs. Not thread-safe. */
public final class ConnectionManagerBuilder {

    private @Nullable NodeIdentity identity;
    private @Nullable FabricDevice device;
    private @Nullable MemoryRegionPool messagePool;
    private @Nullable NegotiationClient client;
    private @Nullable PeerDirectory directory;
    private @Nullable ConnectionHandler handler;
    private PeerPolicy policy = PeerPolicy.ALLOW_ALL;
    private ConnectionOptions options = ConnectionOptions.defaults();
    private List<String> memoryKinds = List.of();

    ConnectionManagerBuilder() {}

    /** Sets who this node is. Needed. */
    public ConnectionManagerBuilder identity(NodeIdentity value) {
        identity = value;
        return this;
    }

    /** Sets the device, which the caller keeps and closes after the manager. Needed. */
    public ConnectionManagerBuilder device(FabricDevice value) {
        device = value;
        return this;
    }

    /** Sets the host pool for messages, which the caller keeps and closes after the manager. Needed. */
    public ConnectionManagerBuilder messagePool(MemoryRegionPool value) {
        messagePool = value;
        return this;
    }

    /** Sets how peers are called. Needed. */
    public ConnectionManagerBuilder client(NegotiationClient value) {
        client = value;
        return this;
    }

    /** Sets which peers there are. Needed. */
    public ConnectionManagerBuilder directory(PeerDirectory value) {
        directory = value;
        return this;
    }

    /** Sets who uses the connections. Needed. */
    public ConnectionManagerBuilder handler(ConnectionHandler value) {
        handler = value;
        return this;
    }

    /** Sets what peers may do to this node; everything else. */
    public ConnectionManagerBuilder policy(PeerPolicy value) {
        policy = value;
        return this;
    }

    /** Sets how connections are made; the defaults else. */
    public ConnectionManagerBuilder options(ConnectionOptions value) {
        options = value;
        return this;
    }

    /** Sets the kinds of memory that this node offers for landing; that of the message pool else. */
    public ConnectionManagerBuilder memoryKinds(List<String> value) {
        memoryKinds = List.copyOf(value);
        return this;
    }

    /**
     * Makes the manager, which does nothing before {@link QueuePairConnectionManager#start()}.
     *
     * @throws IllegalStateException if something needed is missing
     * @throws IllegalArgumentException if the options do not fit the device
     */
    public QueuePairConnectionManager build() {
        MemoryRegionPool pool = needed("messagePool", messagePool);
        List<String> kinds = new ArrayList<>(memoryKinds);
        if (kinds.isEmpty()) {
            kinds.add(pool.kind().toString());
        }
        return new QueuePairConnectionManager(
                needed("identity", identity),
                needed("device", device),
                pool,
                needed("client", client),
                needed("directory", directory),
                needed("handler", handler),
                options,
                policy,
                kinds);
    }

    private static <T> T needed(String name, @Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("A connection manager needs its " + name);
        }
        return value;
    }
}

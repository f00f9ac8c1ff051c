package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionHandler;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.RegionRequest;
import io.tensorfabric.connection.SharedMemoryRequest;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.RegionUse.Operation;
import io.tensorfabric.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transfers over the connections of a node: both the pushing and the receiving end. Give it to the connection manager as
 * its handler; close it before the connection manager, and that before the pool. Thread-safe.
 *
 * <p>Listeners run on their own threads, several at a time, in no promised order even for one sender. Futures complete on
 * callback threads, of which there are few: callbacks that block hold up other futures, and the memory of other pushes.
 * Pushes to one peer start in the order of their calls as long as their memory lies in the pool or is small; no order is
 * promised between small and large ones, and between those of different {@linkplain TransferPriority priority}.
 */
public final class FabricTransfers
        implements TensorTransferService, TensorListenerRegistry, ConnectionHandler, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(FabricTransfers.class);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    /** How long interrupted listeners get to end. */
    private static final Duration INTERRUPT_GRACE = Duration.ofSeconds(1);

    private final Engine engine;
    private final TransferStart starter;
    private final HouseKeeping houseKeeping;
    private final ZoneOpening zoneOpening;
    private boolean closed;

    private FabricTransfers(Builder builder) {
        this.engine = new Engine(
                builder.options,
                builder.resilience != null
                        ? builder.resilience
                        : new PeerResilience(
                                PeerResilience.Registries.create(), builder.options.resilience(), Map.of()),
                new TransferMemory(
                        Objects.requireNonNull(builder.pool, "pool"),
                        Objects.requireNonNull(builder.protectionDomain, "protectionDomain"),
                        new Gpus(builder.gpus, builder.landing, builder.cudaIpc)),
                Objects.requireNonNull(builder.connector, "connector"));
        this.starter = new TransferStart(engine);
        this.houseKeeping = new HouseKeeping(engine);
        this.zoneOpening = new ZoneOpening(engine);
    }

    /** Starts a builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** How it was made. */
    public TransferOptions options() {
        return engine.options();
    }

    /** Circuit breakers, retries and bulkheads of the peers. */
    public PeerResilience resilience() {
        return engine.resilience();
    }

    /** Starts taking back zones that peers no longer use. Twice is harmless. */
    public void start() {
        houseKeeping.arm();
    }

    @Override
    public CompletableFuture<TransferReceipt> push(String peer, Tensor tensor, PushOptions options) {
        return starter.start(peer, tensor, options, null);
    }

    @Override
    public CompletableFuture<List<TransferReceipt>> pushAll(String peer, Collection<Tensor> all, PushOptions options) {
        return starter.group(peer, List.copyOf(all), options);
    }

    @Override
    public PublishedTensor publish(Tensor tensor, PublishOptions options) {
        return engine.published().publish(tensor, Objects.requireNonNull(options, "options"));
    }

    @Override
    public CompletableFuture<TransferReceipt> pull(String peer, String name, Tensor into, RegionOptions options) {
        return starter.region(Operation.PULL, peer, name, into, options);
    }

    @Override
    public CompletableFuture<Tensor> pull(String peer, String name, RegionOptions options) {
        return starter.pullNew(peer, name, options);
    }

    @Override
    public CompletableFuture<TransferReceipt> put(String peer, String name, Tensor tensor, RegionOptions options) {
        return starter.region(Operation.PUT, peer, name, tensor, options);
    }

    @Override
    public List<PublishedTensor> published() {
        return engine.published().all();
    }

    @Override
    public List<TransferStatus> transfers() {
        List<TransferStatus> all = new ArrayList<>();
        engine.pushes().forEach(push -> {
            if (!push.isDecided()) {
                all.add(push.status());
            }
        });
        engine.inbox().copyTo(all);
        all.sort((a, b) -> b.started().compareTo(a.started()));
        engine.log().copyTo(all);
        return all;
    }

    /** Counters since the start. */
    public TransferStatistics statistics() {
        return engine.log().statistics(engine.pushes().size());
    }

    /** Which GPUs of this node reach those of peers by CUDA IPC, of the connections that there are. */
    public List<CudaIpcStatus> cudaIpc() {
        return engine.cudaIpc();
    }

    /** Bytes of GPU memory that are kept since processes of ended connections may still have them open. */
    public long sharedBytesWaiting() {
        return engine.landings().bytes();
    }

    /** Tells an observer of every transfer that ends from now on. */
    public void addObserver(TransferObserver observer) {
        engine.log().add(Objects.requireNonNull(observer, "observer"));
    }

    /** Stops telling an observer. */
    public void removeObserver(TransferObserver observer) {
        engine.log().remove(observer);
    }

    @Override
    public Registration register(String id, String namePattern, String peerPattern, TensorReceiver receiver) {
        return engine.listeners().register(id, namePattern, peerPattern, receiver);
    }

    @Override
    public List<ZoneGrant> openZones(Connection connection) {
        return zoneOpening.initial(connection);
    }

    @Override
    public ZoneGrant openZone(Connection connection, long bytes) {
        return zoneOpening.receiver(connection).openDedicated(bytes);
    }

    @Override
    public ZoneGrant openSharedZone(Connection connection, long bytes, SharedMemoryRequest shared) {
        return zoneOpening.receiver(connection).openShared(bytes, shared);
    }

    @Override
    public ZoneGrant openRegion(Connection connection, RegionRequest region) {
        return zoneOpening.link(connection).regions().open(region);
    }

    @Override
    public void closing(Connection connection) {
        PeerLink link = engine.link(connection);
        if (link != null) {
            link.closing();
        }
    }

    @Override
    public void zonesOpened(Connection connection, List<ZoneGrant> zones) {
        PeerLink link = engine.link(connection);
        if (link != null) {
            link.sender().zonesOpened(zones);
        }
    }

    @Override
    public void up(Connection connection) {
        PeerLink link = engine.link(connection);
        if (link != null) {
            link.up();
            engine.linkUp(link);
        }
    }

    @Override
    public void received(Connection connection, Lane lane, int type, ByteBuffer body) {
        PeerLink link = engine.link(connection);
        if (link != null) {
            link.received(type, body);
        }
    }

    @Override
    public void immediate(Connection connection, Lane lane, int immediate, int bytes) {
        PeerLink link = engine.link(connection);
        if (link != null) {
            link.violated(new ProtocolViolation("a write with immediate came, which only stripes do"));
        }
    }

    @Override
    public void ready(Lane lane) {
        PeerLink link = engine.link(lane.connection());
        if (link != null) {
            link.sender().ready(lane);
        }
    }

    @Override
    public void down(Connection connection) {
        engine.closeLink(connection);
    }

    @Override
    public void pathChanged() {
        engine.pathChanged();
    }

    @Override
    public boolean isBusy(Connection connection) {
        PeerLink link = engine.link(connection);
        return link != null
                && (link.isBusy()
                        || engine.inbox().holdsSomeOf(link)
                        || engine.published().holdsPutsOf(link));
    }

    /**
     * The first step of an orderly end, while this node may still push: tensors that arrive from now on are refused, so that
     * their senders try again or elsewhere, and those that are here already reach their listeners.
     *
     * @param timeout how long to wait for the listeners
     * @return whether all listeners have ended
     * @throws InterruptedException if the thread was interrupted while it waited
     */
    public boolean quiesce(Duration timeout) throws InterruptedException {
        engine.startQuiescing();
        return engine.inbox().awaitIdle(timeout);
    }

    /** As {@link #close(Duration)} with 10 s. */
    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    /**
     * Ends transfers: new pushes fail and arriving tensors are refused at once; what is under way gets some time, and the
     * rest fails as {@link TransferException.Kind#CLOSED}. Running listeners are interrupted then. Memory that devices still use, and
     * landing zones, go back when their connections are closed, received tensors when they are. Further calls do nothing.
     *
     * @param timeout how long to wait for what is under way
     */
    public synchronized void close(Duration timeout) {
        if (closed) {
            return;
        }
        closed = true;
        engine.startClosing();
        long end = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        try {
            engine.pushes().awaitEmpty(timeout);
            engine.inbox().awaitIdle(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        engine.startStopping();
        engine.published().close(interrupted ? Duration.ZERO : INTERRUPT_GRACE);
        engine.pushes().forEach(push -> push.fail(PushFailures.shuttingDown(push)));
        engine.inbox().close();
        try {
            if (!interrupted && !engine.inbox().awaitEnd(INTERRUPT_GRACE)) {
                log.warn("Listeners still run after they were interrupted; they are left behind");
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        interrupted |= engine.stop(interrupted ? Duration.ZERO : INTERRUPT_GRACE);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes transfers. Not thread-safe. */
    public static final class Builder {

        private TransferOptions options = TransferOptions.defaults();
        private @Nullable PeerResilience resilience;
        private @Nullable MemoryRegionPool pool;
        private List<GpuMemory> gpus = List.of();
        private MemoryKind landing = MemoryKind.HOST;
        private boolean cudaIpc;
        private @Nullable Supplier<? extends ProtectionDomain> protectionDomain;
        private @Nullable Function<String, CompletableFuture<Connection>> connector;

        private Builder() {}

        /** Limits and sizes; the defaults unless set. */
        public Builder options(TransferOptions value) {
            this.options = value;
            return this;
        }

        /**
         * Retries, circuit breakers and bulkheads of peers, in place of those that {@link TransferOptions#resilience()} says.
         */
        public Builder resilience(PeerResilience value) {
            this.resilience = value;
            return this;
        }

        /** Where landing zones and copies of small tensors come from; not owned. Required. */
        public Builder pool(MemoryRegionPool value) {
            this.pool = value;
            return this;
        }

        /**
         * Memory of the GPUs whose tensors can be pushed; not owned. Their pinned host memory is what the pool is made of,
         * unless all paths are direct.
         */
        public Builder gpus(List<GpuMemory> value) {
            this.gpus = List.copyOf(value);
            return this;
        }

        /** Where listeners find tensors: host memory unless set, or memory of one of the GPUs. */
        public Builder landing(MemoryKind value) {
            this.landing = value;
            return this;
        }

        /** Whether GPUs of processes on one host may copy to each other by themselves: not unless set. */
        public Builder cudaIpc(boolean value) {
            this.cudaIpc = value;
            return this;
        }

        /** Where tensors outside the pool are registered for their push; not owned. Required. */
        public Builder protectionDomain(ProtectionDomain value) {
            return protectionDomain(() -> value);
        }

        /** The same for a device that is not open yet; asked for each such push. */
        public Builder protectionDomain(Supplier<? extends ProtectionDomain> value) {
            this.protectionDomain = value;
            return this;
        }

        /**
         * How to get a connection that is up, by the name of a peer; asked only when there is none. Must not block. Failures
         * other than {@link ConnectionException} are not retried. Required.
         */
        public Builder connector(Function<String, CompletableFuture<Connection>> value) {
            this.connector = value;
            return this;
        }

        /** Makes the transfers; the caller closes them. */
        public FabricTransfers build() {
            if (landing.type() != MemoryKind.Type.HOST
                    && gpus.stream().noneMatch(gpu -> gpu.kind().equals(landing))) {
                throw new IllegalArgumentException("Tensors cannot land in " + landing + ", which is not given");
            }
            return new FabricTransfers(this);
        }
    }
}

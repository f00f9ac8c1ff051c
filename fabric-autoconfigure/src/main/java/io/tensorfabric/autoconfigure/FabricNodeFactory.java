package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.CompletionMode;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.FabricDeviceException;
import io.tensorfabric.connection.FabricDeviceOptions;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.PeerDirectory;
import io.tensorfabric.connection.PeerPolicy;
import io.tensorfabric.connection.QueuePairConnectionManager;
import io.tensorfabric.diagnostics.Symptom;
import io.tensorfabric.memory.HugePageMemoryProvider;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.SharedHostMemoryProvider;
import io.tensorfabric.memory.cuda.CudaDriverException;
import io.tensorfabric.offheap.OffHeapAllocationException;
import io.tensorfabric.topology.CardRanking;
import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.topology.Topology;
import io.tensorfabric.transfer.FabricTransfers;
import io.tensorfabric.transfer.PeerResilience;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Opens everything in order; when a step fails, what was opened is closed again. */
final class FabricNodeFactory {

    /** Name of the pool of host memory. */
    static final String HOST_POOL = "host";

    /** Smallest block of the host pool, in bytes. */
    private static final long MIN_BLOCK = 256;

    private final FabricProperties properties;

    private final @Nullable VerbsProvider provider;

    private final PeerDirectory peers;

    private final NegotiationClient client;

    private final PeerPolicy policy;

    private final PeerResilience resilience;

    /**
     * A factory.
     *
     * @param provider provider of the application, or {@code null} to select one
     */
    FabricNodeFactory(
            FabricProperties properties,
            @Nullable VerbsProvider provider,
            PeerDirectory peers,
            NegotiationClient client,
            PeerPolicy policy,
            PeerResilience resilience) {
        this.properties = properties;
        this.provider = provider;
        this.peers = peers;
        this.client = client;
        this.policy = policy;
        this.resilience = resilience;
    }

    /**
     * Opens a node, not started yet.
     *
     * @throws FabricUnavailableException if the device or its memory cannot be had
     */
    FabricNode open(NodeIdentity identity) {
        Deque<AutoCloseable> opened = new ArrayDeque<>();
        try {
            return open(identity, opened);
        } catch (RuntimeException ex) {
            for (AutoCloseable resource : opened) {
                try {
                    resource.close();
                } catch (Exception closing) {
                    ex.addSuppressed(closing);
                }
            }
            throw ex;
        }
    }

    private FabricNode open(NodeIdentity identity, Deque<AutoCloseable> opened) {
        List<String> warnings = new ArrayList<>();
        ProviderSelection selection = select(warnings);
        warnOfSpinning(properties.completion(), Runtime.getRuntime().availableProcessors(), warnings);
        FabricDevice device = openDevice(selection.provider());
        opened.push(device);
        FabricGpus gpus = FabricGpus.open(properties, device);
        opened.push(gpus);
        MemoryRegionPool pool = openPool(device, gpus, opened);
        AtomicReference<QueuePairConnectionManager> connections = new AtomicReference<>();
        FabricTransfers transfers = FabricTransfers.builder()
                .options(properties.transfer().toOptions(properties.landing()))
                .resilience(resilience)
                .pool(pool)
                .gpus(gpus.memories())
                .landing(gpus.landing())
                .cudaIpc(properties.gpu().ipc() == GpuProperties.Ipc.AUTO)
                .protectionDomain(device.protectionDomain())
                .connector(peer -> connections.get().connect(peer))
                .build();
        opened.push(transfers);
        connections.set(manager(identity, device, gpus, pool, transfers));
        FabricDiagnostics diagnostics = new FabricDiagnostics(properties.diagnostics(), device, gpus);
        return new FabricNode(selection, device, gpus, pool, connections.get(), transfers, diagnostics, warnings);
    }

    static void warnOfSpinning(CompletionProperties completion, int processors, List<String> warnings) {
        if (completion.mode() == CompletionMode.SPIN && completion.pollers() >= processors) {
            warnings.add(
                    "Pollers of the mode 'spin' take all " + processors + " processors of this process, so that all"
                            + " else waits for its turn: lower 'fabric.completion.pollers', set 'fabric.completion.mode=adaptive',"
                            + " or give the process more processors");
        }
    }

    private ProviderSelection select(List<String> warnings) {
        if (provider != null) {
            return new ProviderSelection(provider, "the application has a provider of its own");
        }
        return new ProviderSelector(properties, () -> softProvider(warnings)).select();
    }

    private VerbsProvider softProvider(List<String> warnings) {
        SoftDeviceOptions options = SoftDevices.options(properties.soft());
        String warning = SoftDevices.loopbackWarning(options, peers.peers());
        if (warning != null) {
            warnings.add(warning);
        }
        return new SoftVerbsProvider(options);
    }

    private FabricDevice openDevice(VerbsProvider source) {
        try {
            return FabricDevice.open(source, deviceOptions(), ranking(source));
        } catch (FabricDeviceException ex) {
            throw new FabricUnavailableException(
                    String.valueOf(ex.getMessage()),
                    "Set 'fabric.device', 'fabric.port' and 'fabric.gid-index' to what exists (ibv_devinfo -v lists it),"
                            + " or leave them out to have them chosen.",
                    ex);
        } catch (VerbsException ex) {
            throw new FabricUnavailableException(
                    "The device of provider " + source.name() + " cannot be opened. " + ex.getMessage(),
                    "Check the device with ibv_devinfo, and that this process may use it; or set 'fabric.provider=soft'"
                            + " to use the software device.",
                    ex);
        }
    }

    /** Cards near the GPUs come first where there is a choice. */
    private CardRanking ranking(VerbsProvider source) {
        if (properties.device() != null || source.devices().size() < 2) {
            return CardRanking.none();
        }
        List<String> gpus = FabricGpus.wanted(properties.gpu());
        return gpus.isEmpty()
                ? CardRanking.none()
                : CardRanking.nearest(
                        Topology.read(new Sysfs(properties.diagnostics().sysfs())), gpus);
    }

    private FabricDeviceOptions deviceOptions() {
        CompletionProperties completion = properties.completion();
        Integer port = properties.port();
        Integer gidIndex = properties.gidIndex();
        return FabricDeviceOptions.builder()
                .deviceName(properties.device())
                .port(port == null ? FabricDeviceOptions.AUTO : port)
                .gidIndex(gidIndex == null ? FabricDeviceOptions.AUTO : gidIndex)
                .pollers(completion.pollers())
                .completions(completion.sendEntries(), completion.receiveEntries())
                .pollBatch(completion.batch())
                .mode(completion.mode())
                .spin(completion.spin())
                .relaxedOrdering(properties.memory().relaxedOrdering())
                .memoryWindows(properties.connection().memoryWindows())
                .numaAffinity(completion.numaAffinity())
                .build();
    }

    private MemoryProvider hostMemory(FabricDevice device, FabricGpus gpus) {
        boolean shared = properties.memory().host().shared()
                && gpus.memories().isEmpty()
                && device.providerName().equals(SoftVerbsProvider.NAME);
        if (shared) {
            return new SharedHostMemoryProvider();
        }
        boolean huge = properties.memory().host().hugePages() == FabricProperties.Memory.Host.HugePages.AUTO
                && gpus.memories().isEmpty();
        return huge ? new HugePageMemoryProvider() : gpus.hostMemory();
    }

    private MemoryRegionPool openPool(FabricDevice device, FabricGpus gpus, Deque<AutoCloseable> opened) {
        try {
            MemoryRegionPool pool = MemoryRegionPool.create(
                    HOST_POOL,
                    device.protectionDomain(),
                    hostMemory(device, gpus),
                    poolOptions(properties),
                    device.usesMemoryWindows());
            opened.push(pool);
            pool.warmUp();
            return pool;
        } catch (OffHeapAllocationException | VerbsException | CudaDriverException ex) {
            throw new FabricUnavailableException(
                    "Host memory cannot be registered with " + device.deviceName() + ". " + ex.getMessage(),
                    Symptom.MEMLOCK_TOO_SMALL.remedy(),
                    ex);
        }
    }

    static MemoryPoolOptions poolOptions(FabricProperties properties) {
        FabricProperties.Memory.Host host = properties.memory().host();
        return new MemoryPoolOptions(
                host.slabSize().toBytes(), host.maxSize().toBytes(), MIN_BLOCK, host.acquireTimeout());
    }

    private QueuePairConnectionManager manager(
            NodeIdentity identity,
            FabricDevice device,
            FabricGpus gpus,
            MemoryRegionPool pool,
            FabricTransfers transfers) {
        try {
            return QueuePairConnectionManager.builder()
                    .identity(identity)
                    .device(device)
                    .messagePool(pool)
                    .memoryKinds(List.of(gpus.landing().toString()))
                    .client(client)
                    .directory(peers)
                    .handler(transfers)
                    .policy(policy)
                    .options(properties.connection().toOptions())
                    .build();
        } catch (IllegalArgumentException ex) {
            throw new FabricUnavailableException(
                    "The connections' settings do not fit " + device.deviceName() + ". " + ex.getMessage(),
                    "Change the properties below 'fabric.connection'.",
                    ex);
        }
    }
}

package io.tensorfabric.connection;

import io.tensorfabric.topology.CardRanking;
import io.tensorfabric.verbs.DeviceAttributes;
import io.tensorfabric.verbs.PortAttributes;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open device with what connections share: protection domain, port, completion queues with their poller threads, and
 * the thread of its asynchronous events. Thread-safe.
 *
 * <p>Close what uses it first: the connection manager, then the memory pools.
 */
public final class FabricDevice implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FabricDevice.class);

    private final String providerName;
    private final FabricDeviceOptions options;
    private final DeviceDecision decision;
    private final VerbsContext context;
    private final ProtectionDomain protectionDomain;
    private final DeviceAttributes attributes;
    private final int port;
    private final CompletionRouter router = new CompletionRouter();
    private final List<CompletionPoller> pollers = new ArrayList<>();
    private final AsyncEventWatcher events;
    private final WindowProbe.Result windows;
    private volatile @Nullable String failure;
    private int nextPoller;
    private boolean closed;

    private FabricDevice(
            String providerName, VerbsContext context, FabricDeviceOptions options, DeviceDecision decision) {
        this.providerName = providerName;
        this.context = context;
        this.options = options;
        this.decision = decision;
        this.attributes = context.queryDevice();
        this.port = DevicePorts.choose(context, options.port());
        PathDecision path = path(AddressFamily.ANY);
        ProtectionDomain domain = context.allocateProtectionDomain();
        this.protectionDomain = options.relaxedOrdering() ? new RelaxedDomain(domain) : domain;
        try (Undo undo = new Undo()) {
            undo.add(protectionDomain);
            this.windows = options.memoryWindows()
                    ? WindowProbe.run(context, protectionDomain, attributes, path)
                    : new WindowProbe.Result(false, "switched off");
            for (int i = 0; i < options.pollers(); i++) {
                pollers.add(newPoller(undo, i));
            }
            undo.keep();
        }
        this.events = new AsyncEventWatcher(context, port, this::markFailed);
        LOG.info(
                "{} ({}): {}; memory windows: {}",
                context.deviceName(),
                providerName,
                path.explanation(),
                windows.text());
        path.warnings().forEach(LOG::warn);
        if (decision.candidates().size() > 1) {
            LOG.info("Device {}", decision.explanation());
        }
    }

    private CompletionPoller newPoller(Undo undo, int number) {
        CompletionPoller poller = new CompletionPoller(
                "fabric-cq-" + context.deviceName() + "-" + number,
                context,
                router,
                options,
                () -> markFailed("a completion queue failed"));
        undo.add(poller::close);
        return poller;
    }

    /**
     * Opens the configured device of a provider, or its first one with an active port.
     *
     * @throws FabricDeviceException if there is none, or port or GID index do not fit it; nothing stays open
     * @throws io.tensorfabric.verbs.VerbsException if the device refuses
     */
    public static FabricDevice open(VerbsProvider provider, FabricDeviceOptions options) {
        return open(provider, options, CardRanking.none());
    }

    /**
     * Opens the configured device of a provider, or the best of those with an active port.
     *
     * @param ranking tells which is best; the first of several
     * @throws FabricDeviceException if there is none, or port or GID index do not fit it; nothing stays open
     * @throws io.tensorfabric.verbs.VerbsException if the device refuses
     */
    public static FabricDevice open(VerbsProvider provider, FabricDeviceOptions options, CardRanking ranking) {
        DevicePorts.Choice choice = DevicePorts.chooseDevice(provider, options, ranking);
        return open(provider.name(), choice.device(), options, choice.decision());
    }

    /**
     * Opens a device.
     *
     * @param providerName name of its provider, which must be the peers' too
     * @param device the device
     * @param options how; the device name in it does not count
     * @throws FabricDeviceException if port or GID index do not fit it; nothing stays open
     * @throws io.tensorfabric.verbs.VerbsException if the device refuses
     */
    public static FabricDevice open(String providerName, VerbsDevice device, FabricDeviceOptions options) {
        DeviceDecision.Candidate given = new DeviceDecision.Candidate(device.name(), true, "handed over");
        return open(providerName, device, options, new DeviceDecision(device.name(), List.of(given)));
    }

    private static FabricDevice open(
            String providerName, VerbsDevice device, FabricDeviceOptions options, DeviceDecision decision) {
        try (Undo undo = new Undo()) {
            FabricDevice opened = new FabricDevice(providerName, undo.add(device.open()), options, decision);
            opened.pollers.forEach(CompletionPoller::start);
            opened.events.start();
            undo.keep();
            return opened;
        }
    }

    /** Name of the provider. */
    public String providerName() {
        return providerName;
    }

    /** Name of the device. */
    public String deviceName() {
        return context.deviceName();
    }

    /** The open device; owned by this object. */
    public VerbsContext context() {
        return context;
    }

    /** The protection domain of all memory and queue pairs; owned by this object. */
    public ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    /** Limits of the device. */
    public DeviceAttributes attributes() {
        return attributes;
    }

    /** Why it is this device. */
    public DeviceDecision decision() {
        return decision;
    }

    /** How it was opened. */
    public FabricDeviceOptions options() {
        return options;
    }

    /** Number of the port in use. */
    public int port() {
        return port;
    }

    /** Present state of the port in use. */
    public PortAttributes portAttributes() {
        return context.queryPort(port);
    }

    /** Which GID suits peers of a family, from the present GID table, and why. */
    public PathDecision path(AddressFamily family) {
        return PathSelector.choose(
                context.deviceName(),
                port,
                context.queryPort(port),
                context.queryGidTable(port),
                options.gidIndex(),
                family);
    }

    /** Whether memory is opened to peers through memory windows: the device has them, enforces them, and may use them. */
    public boolean usesMemoryWindows() {
        return windows.enforced();
    }

    /** Whether the device may reorder its writes to memory, in words. */
    public String relaxedOrdering() {
        return protectionDomain instanceof RelaxedDomain relaxed ? relaxed.text() : "switched off";
    }

    /** Whether memory windows are used, in words. */
    public String memoryWindows() {
        return windows.text();
    }

    /** Why the device is unusable for good; {@code null} while it works. */
    public @Nullable String failure() {
        return failure;
    }

    boolean isPortActive() {
        return context.queryPort(port).state() == PortState.ACTIVE;
    }

    /** Completions so far by status, over all completion queues; statuses that never came are left out. */
    public Map<WorkCompletionStatus, Long> completionCounters() {
        Map<WorkCompletionStatus, Long> sum = new EnumMap<>(WorkCompletionStatus.class);
        for (CompletionQueueStatus queue : completionQueues()) {
            queue.completions().forEach((status, count) -> sum.merge(status, count, Long::sum));
        }
        return sum;
    }

    /** All completion queues. */
    public List<CompletionQueueStatus> completionQueues() {
        List<CompletionQueueStatus> queues = new ArrayList<>();
        pollers.forEach(poller -> queues.addAll(poller.status()));
        return queues;
    }

    /** The poller for the next connection, in turn. */
    synchronized CompletionPoller nextPoller() {
        CompletionPoller poller = pollers.get(nextPoller);
        nextPoller = (nextPoller + 1) % pollers.size();
        return poller;
    }

    boolean isPollerThread() {
        for (int i = 0; i < pollers.size(); i++) {
            if (pollers.get(i).isPollerThread()) {
                return true;
            }
        }
        return false;
    }

    void add(DeviceObserver observer) {
        events.add(observer);
    }

    void remove(DeviceObserver observer) {
        events.remove(observer);
    }

    private void markFailed(String reason) {
        if (failure == null) {
            failure = reason;
            LOG.error("{}: {}. Restart the service to open the device anew", context.deviceName(), reason);
            events.tell(observer -> observer.deviceFailed(reason));
        }
    }

    /**
     * Ends the threads and closes the device. Closing twice is harmless.
     *
     * @throws io.tensorfabric.verbs.VerbsException if memory regions or queue pairs of it are still open, naming them; it
     *     may be called again when they are closed
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        events.close();
        while (!pollers.isEmpty()) {
            pollers.get(pollers.size() - 1).close();
            pollers.remove(pollers.size() - 1);
        }
        protectionDomain.close();
        context.close();
        closed = true;
    }
}

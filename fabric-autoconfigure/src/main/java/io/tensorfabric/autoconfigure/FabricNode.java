package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.AddressFamily;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.FabricDeviceException;
import io.tensorfabric.connection.QueuePairConnectionManager;
import io.tensorfabric.diagnostics.Symptom;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.transfer.FabricTransfers;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running fabric of this application: device, memory, connections and transfers. Owned by {@link FabricLifecycle}:
 * use it, but never close its parts. Thread-safe.
 */
public final class FabricNode {

    private static final Logger logger = LoggerFactory.getLogger(FabricNode.class);

    private final ProviderSelection selection;

    private final FabricDevice device;

    private final FabricGpus gpus;

    private final MemoryRegionPool hostPool;

    private final QueuePairConnectionManager connections;

    private final FabricTransfers transfers;

    private final FabricDiagnostics diagnostics;

    private final List<String> startWarnings;

    FabricNode(
            ProviderSelection selection,
            FabricDevice device,
            FabricGpus gpus,
            MemoryRegionPool hostPool,
            QueuePairConnectionManager connections,
            FabricTransfers transfers,
            FabricDiagnostics diagnostics,
            List<String> startWarnings) {
        this.selection = selection;
        this.device = device;
        this.gpus = gpus;
        this.hostPool = hostPool;
        this.connections = connections;
        this.transfers = transfers;
        this.diagnostics = diagnostics;
        this.startWarnings = List.copyOf(startWarnings);
    }

    /** Name of the provider of the device. */
    public String providerName() {
        return selection.provider().name();
    }

    /** Why it is this provider, in words. */
    public String providerReason() {
        return selection.reason();
    }

    /** Whether another provider would have been preferred but cannot be used. */
    public boolean providerIsFallback() {
        return selection.fallback();
    }

    /** Whether somebody will wonder about that, since a card is there or the shim of this platform does not work. */
    boolean providerIsSurprising() {
        return selection.surprising();
    }

    /** The open device. */
    public FabricDevice device() {
        return device;
    }

    /** The GPUs in use, and their paths to the device. */
    public FabricGpus gpus() {
        return gpus;
    }

    /** Registered host memory; tensors that lie in it are pushed without registering anything. */
    public MemoryRegionPool hostPool() {
        return hostPool;
    }

    /** The pools of all kinds of memory, that of the host first. */
    public List<MemoryRegionPool> pools() {
        List<MemoryRegionPool> pools = new ArrayList<>();
        pools.add(hostPool);
        gpus.memories().forEach(memory -> pools.add(memory.pool()));
        return pools;
    }

    /** The connections. */
    public QueuePairConnectionManager connections() {
        return connections;
    }

    /** The transfers. */
    public FabricTransfers transfers() {
        return transfers;
    }

    /** What the kernel tells of the device. */
    public FabricDiagnostics diagnostics() {
        return diagnostics;
    }

    /** What works, but not as well as it could, each with a remedy; asks the device anew. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(otherWarnings());
        if (selection.fallback()) {
            warnings.add(0, "The software device is in use: " + selection.reason());
        }
        return warnings;
    }

    /** The same without the fallback, which the start tells in a line of its own. */
    List<String> otherWarnings() {
        List<String> warnings = new ArrayList<>(startWarnings);
        warnings.addAll(gpus.warnings());
        warnings.addAll(diagnostics.warnings());
        try {
            warnings.addAll(device.path(AddressFamily.ANY).warnings());
            PortState state = device.portAttributes().state();
            if (state != PortState.ACTIVE) {
                warnings.add("Port " + device.port() + " of " + device.deviceName() + " is " + state
                        + ": no transfers until it is ACTIVE. " + Symptom.PORT_DOWN.remedy());
            }
        } catch (VerbsException | FabricDeviceException ex) {
            warnings.add("The device cannot be asked: " + ex.getMessage());
        }
        return warnings;
    }

    /**
     * Ends everything, in order: transfers finish or fail, connections close, memory and device go back.
     *
     * @param grace how long transfers may take to finish
     * @param rest how long all the rest may take
     */
    void close(Duration grace, Duration rest) {
        closeQuietly("transfers", () -> transfers.close(grace));
        closeQuietly("connections", () -> connections.close(rest.dividedBy(2)));
        closeQuietly("memory", () -> hostPool.close(rest.dividedBy(2)));
        closeQuietly("GPU memory", gpus::close);
        closeQuietly("device", device::close);
    }

    /** Nothing stops the end of what is left. */
    private void closeQuietly(String what, Runnable close) {
        try {
            close.run();
        } catch (RuntimeException ex) {
            logger.warn("The fabric's {} on {} did not close cleanly", what, device.deviceName(), ex);
        }
    }
}

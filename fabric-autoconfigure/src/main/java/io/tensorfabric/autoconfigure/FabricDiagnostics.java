package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.topology.PortCounterWatch;
import io.tensorfabric.topology.PortCounters;
import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.topology.Topology;
import io.tensorfabric.topology.TopologyCheck;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the kernel tells of the device and the GPUs in use. Thread-safe. */
public final class FabricDiagnostics {

    private final Sysfs sysfs;

    private final PortCounters counters;

    private final PortCounterWatch watch;

    private final List<String> gpus;

    private final Duration preflightTimeout;

    FabricDiagnostics(DiagnosticsProperties properties, FabricDevice device, FabricGpus gpus) {
        this.sysfs = new Sysfs(properties.sysfs());
        this.counters = new PortCounters(sysfs, device.deviceName(), device.port());
        this.watch = new PortCounterWatch(counters, Clock.systemUTC(), properties.counterWindow());
        this.preflightTimeout = properties.preflightTimeout();
        this.gpus = gpus.memories().stream()
                .map(memory -> memory.device().pciAddress())
                .toList();
    }

    /** The files that are read. */
    public Sysfs sysfs() {
        return sysfs;
    }

    /** Counters of the port in use; none for the software device. */
    public PortCounters portCounters() {
        return counters;
    }

    /** Cards and GPUs of this machine; reads anew. */
    public Topology topology() {
        return Topology.read(sysfs);
    }

    /** PCI addresses of the GPUs in use. */
    public List<String> gpusInUse() {
        return gpus;
    }

    /** Longest time of a preflight. */
    public Duration preflightTimeout() {
        return preflightTimeout;
    }

    /** What is wrong or slower than it could be, each with a remedy; reads anew. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(watch.warnings());
        warnings.addAll(TopologyCheck.warnings(topology(), counters.device(), gpus));
        return warnings;
    }
}

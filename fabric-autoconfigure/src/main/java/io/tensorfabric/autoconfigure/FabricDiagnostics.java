package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.topology.PortCounterWatch;
import io.tensorfabric.topology.PortCounters;
import io.tensorfabric.topology.Sysfs;
import java.time.Clock;
import java.util.List;

/** What the kernel tells of the device in use. Thread-safe. */
public final class FabricDiagnostics {

    private final PortCounters counters;

    private final PortCounterWatch watch;

    FabricDiagnostics(DiagnosticsProperties properties, FabricDevice device) {
        Sysfs sysfs = new Sysfs(properties.sysfs());
        this.counters = new PortCounters(sysfs, device.deviceName(), device.port());
        this.watch = new PortCounterWatch(counters, Clock.systemUTC(), properties.counterWindow());
    }

    /** Counters of the port in use; none for the software device. */
    public PortCounters portCounters() {
        return counters;
    }

    /** What is wrong, each with a remedy; reads anew. */
    List<String> warnings() {
        return watch.warnings();
    }
}

package io.tensorfabric.autoconfigure.actuate;

import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.connection.AddressFamily;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.FabricDeviceException;
import io.tensorfabric.connection.PathDecision;
import io.tensorfabric.topology.PortCounters;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.VerbsException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes the view of a device, whatever state it is in. */
final class DeviceView {

    private DeviceView() {}

    static FabricViews.Device of(FabricNode node) {
        FabricDevice device = node.device();
        String problem = device.failure();
        PathDecision path = null;
        String portState = null;
        try {
            portState = device.portAttributes().state().name();
            path = device.path(AddressFamily.ANY);
        } catch (VerbsException | FabricDeviceException ex) {
            problem = problem == null ? ex.getMessage() : problem;
        }
        return new FabricViews.Device(
                device.deviceName(),
                device.providerName(),
                device.attributes().firmwareVersion(),
                device.port(),
                portState,
                path == null ? null : path.linkLayer().name(),
                path == null ? 0 : path.activeMtu().bytes(),
                path == null ? 0 : path.lid(),
                gid(path),
                device.memoryWindows(),
                device.relaxedOrdering(),
                counters(node.diagnostics().portCounters()),
                problem);
    }

    private static Map<String, Long> counters(PortCounters counters) {
        Map<String, Long> values = new TreeMap<>();
        counters.readAll().forEach((counter, value) -> values.put(counter.label(), value));
        return values;
    }

    private static FabricViews.@Nullable GidChoice gid(@Nullable PathDecision path) {
        if (path == null) {
            return null;
        }
        GidEntry chosen = path.gid();
        return new FabricViews.GidChoice(
                chosen.index(),
                chosen.gid().toString(),
                chosen.type().name(),
                path.explanation(),
                path.candidates().stream().map(DeviceView::candidate).toList());
    }

    private static FabricViews.GidCandidate candidate(PathDecision.Candidate candidate) {
        GidEntry entry = candidate.entry();
        return new FabricViews.GidCandidate(
                entry.index(),
                entry.gid().toString(),
                entry.type().name(),
                entry.networkDevice(),
                candidate.chosen(),
                candidate.reason());
    }
}

package io.tensorfabric.autoconfigure.actuate;

import io.tensorfabric.connection.AddressFamily;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.FabricDeviceException;
import io.tensorfabric.connection.PathDecision;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.VerbsException;
import org.jspecify.annotations.Nullable;

/** Makes the view of a device, whatever state it is in. */
final class DeviceView {

    private DeviceView() {}

    static FabricViews.Device of(FabricDevice device) {
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
                problem);
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

package io.tensorfabric.diagnostics;

import io.tensorfabric.connection.PathDecision;
import io.tensorfabric.diagnostics.PreflightStep.Outcome;
import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.verbs.GidType;
import io.tensorfabric.verbs.LinkLayer;
import java.util.OptionalLong;

/** What can be told of a port by its address and its MTU. */
final class PathChecks {

    /** Room for 4096 bytes and RoCE's headers. */
    private static final int ROCE_MTU = 4200;

    private static final int LARGEST_MTU = 4096;

    private PathChecks() {}

    static PreflightStep address(String name, PathDecision path) {
        if (path.linkLayer() == LinkLayer.INFINIBAND) {
            return PreflightStep.of(name, Outcome.OK, "InfiniBand, LID " + path.lid());
        }
        String detail = path.explanation();
        if (path.gid().type() == GidType.ROCE_V1) {
            return PreflightStep.of(name, Outcome.WARN, detail, Symptom.ROCE_V1);
        }
        return path.linkLayer() == LinkLayer.ETHERNET && path.gid().gid().isLinkLocal()
                ? PreflightStep.of(name, Outcome.WARN, detail, Symptom.GID_LINK_LOCAL)
                : PreflightStep.of(name, Outcome.OK, detail);
    }

    static PreflightStep mtu(String name, PathDecision path, Sysfs sysfs) {
        int active = path.activeMtu().bytes();
        String networkDevice = path.gid().networkDevice();
        OptionalLong network =
                networkDevice.isEmpty() ? OptionalLong.empty() : sysfs.number("class/net/" + networkDevice + "/mtu");
        String detail = active
                + (network.isPresent()
                        ? " on " + networkDevice + ", whose own is " + network.getAsLong()
                        : ", of no network interface that the kernel shows");
        boolean small =
                active < LARGEST_MTU && path.linkLayer() == LinkLayer.ETHERNET && network.orElse(ROCE_MTU) < ROCE_MTU;
        return small
                ? PreflightStep.of(name, Outcome.WARN, detail, Symptom.MTU_SMALL)
                : PreflightStep.of(name, Outcome.OK, detail);
    }
}

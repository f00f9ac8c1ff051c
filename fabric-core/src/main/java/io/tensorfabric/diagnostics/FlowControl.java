package io.tensorfabric.diagnostics;

import io.tensorfabric.diagnostics.PreflightStep.Outcome;
import io.tensorfabric.topology.Sysfs;
import java.util.ArrayList;
import java.util.List;

/**
 * What keeps packets of a RoCE port from getting lost, as far as the driver shows it in sysfs: which priorities have ECN, which
 * have PFC, and the traffic class of all connections; and the traffic class that this fabric asks for.
 */
final class FlowControl {

    private static final int PRIORITIES = 8;

    /** Bits of a traffic class below the DSCP value. */
    private static final int ECN_BITS = 2;

    private final Sysfs sysfs;

    private final String device;

    private final int port;

    private final int trafficClass;

    /** @param trafficClass of the fabric's packets */
    FlowControl(Sysfs sysfs, String device, int port, int trafficClass) {
        this.sysfs = sysfs;
        this.device = device;
        this.port = port;
        this.trafficClass = trafficClass;
    }

    PreflightStep check(String name) {
        String folder = "class/infiniband/" + device;
        if (!sysfs.exists(folder)) {
            return PreflightStep.of(name, Outcome.SKIP, device + " is no device of the kernel");
        }
        if (sysfs.text(folder + "/ports/" + port + "/link_layer")
                .filter("InfiniBand"::equals)
                .isPresent()) {
            return PreflightStep.of(name, Outcome.OK, "InfiniBand loses no packets to congestion");
        }
        List<String> found = new ArrayList<>();
        boolean none = false;
        for (String network : sysfs.names(folder + "/device/net")) {
            String settings = "class/net/" + network;
            sysfs.text(settings + "/qos/pfc")
                    .ifPresent(text -> found.add(network + " has PFC " + text.replace('\n', ' ')));
            if (sysfs.exists(settings + "/ecn/roce_np/enable")) {
                String marked = priorities(settings + "/ecn/roce_np/enable/");
                String slowed = priorities(settings + "/ecn/roce_rp/enable/");
                none |= marked.isEmpty() || slowed.isEmpty();
                found.add(network + " has ECN for priorities " + (marked.isEmpty() ? "none" : marked) + " as receiver, "
                        + (slowed.isEmpty() ? "none" : slowed) + " as sender");
            }
        }
        sysfs.text(folder + "/tc/" + port + "/traffic_class")
                .ifPresent(text -> found.add("traffic class of all connections: " + text.replace('\n', ' ')));
        String own =
                "this fabric asks for traffic class " + trafficClass + ", which is DSCP " + (trafficClass >> ECN_BITS);
        if (found.isEmpty()) {
            return PreflightStep.of(
                    name,
                    Outcome.SKIP,
                    own + "; the driver shows nothing else in sysfs, look with `dcb pfc show dev IFACE` or"
                            + " `mlnx_qos -i IFACE`");
        }
        found.add(own);
        String detail = String.join("; ", found);
        return none
                ? PreflightStep.of(name, Outcome.WARN, detail, Symptom.LOSS_UNDER_LOAD)
                : PreflightStep.of(name, Outcome.OK, detail);
    }

    private String priorities(String folder) {
        List<String> enabled = new ArrayList<>();
        for (int priority = 0; priority < PRIORITIES; priority++) {
            if (sysfs.number(folder + priority).orElse(0) == 1) {
                enabled.add(Integer.toString(priority));
            }
        }
        return String.join(",", enabled);
    }
}

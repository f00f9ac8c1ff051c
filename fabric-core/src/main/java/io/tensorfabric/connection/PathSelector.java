package io.tensorfabric.connection;

import io.tensorfabric.connection.PathDecision.Candidate;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.GidType;
import io.tensorfabric.verbs.LinkLayer;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.PortAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Picks the GID of a port: RoCE v2 over v1, routable over link-local, no loopback address if there is another, the peer's
 * address family, then the lowest index. Stateless.
 */
final class PathSelector {

    private PathSelector() {}

    /**
     * Chooses from a GID table.
     *
     * @param device name of the device, for messages
     * @param port number of the port
     * @param attributes state of the port
     * @param table usable entries of its GID table
     * @param gidIndex configured index, or {@link FabricDeviceOptions#AUTO}
     * @param family family that suits the peer
     * @throws FabricDeviceException if the index is not in the table, or the table is empty where GIDs are needed
     */
    static PathDecision choose(
            String device,
            int port,
            PortAttributes attributes,
            List<GidEntry> table,
            int gidIndex,
            AddressFamily family) {
        GidEntry chosen = gidIndex == FabricDeviceOptions.AUTO
                ? best(device, port, attributes, table, family)
                : configured(device, port, table, gidIndex);
        String reason = gidIndex == FabricDeviceOptions.AUTO ? "best of the table" : "configured";
        List<Candidate> candidates = new ArrayList<>();
        for (GidEntry entry : table) {
            boolean taken = entry.index() == chosen.index();
            candidates.add(new Candidate(entry, taken, taken ? reason : objection(entry, chosen, gidIndex, family)));
        }
        return new PathDecision(
                device,
                port,
                attributes.linkLayer(),
                attributes.lid(),
                attributes.activeMtu(),
                chosen,
                candidates,
                warnings(device, port, chosen, attributes.linkLayer()));
    }

    /**
     * The MTU that both ends of a path use.
     *
     * @param own largest that this end takes
     * @param peerBytes largest that the peer takes, as it told
     * @throws IllegalArgumentException if the peer's is none of the five sizes
     */
    static Mtu negotiateMtu(Mtu own, int peerBytes) {
        return Mtu.min(own, Mtu.ofBytes(peerBytes));
    }

    private static GidEntry best(
            String device, int port, PortAttributes attributes, List<GidEntry> table, AddressFamily family) {
        Optional<GidEntry> best = table.stream().min(order(family));
        if (best.isPresent()) {
            return best.get();
        }
        if (attributes.linkLayer() == LinkLayer.SOFTWARE) {
            return new GidEntry(0, Gid.of(new byte[Gid.LENGTH]), GidType.ROCE_V2, "");
        }
        throw new FabricDeviceException("The GID table of " + device + " port " + port
                + " has no usable entry. Give its network interface an address (ip addr), and look at"
                + " /sys/class/infiniband/" + device + "/ports/" + port + "/gids");
    }

    private static GidEntry configured(String device, int port, List<GidEntry> table, int gidIndex) {
        return table.stream()
                .filter(entry -> entry.index() == gidIndex)
                .findFirst()
                .orElseThrow(() -> new FabricDeviceException("GID index " + gidIndex + " is not usable on " + device
                        + " port " + port + ". Its table holds " + describe(table)
                        + ". Configure one of these, or none to let the fabric choose"));
    }

    private static Comparator<GidEntry> order(AddressFamily family) {
        return Comparator.comparingInt((GidEntry entry) -> entry.type() == GidType.ROCE_V1 ? 1 : 0)
                .thenComparingInt(entry -> entry.gid().isLinkLocal() ? 1 : 0)
                .thenComparingInt(entry -> isLoopback(entry.gid()) ? 1 : 0)
                .thenComparingInt(entry -> family.prefers(entry.gid()) ? 0 : 1)
                .thenComparingInt(GidEntry::index);
    }

    private static String objection(GidEntry entry, GidEntry chosen, int gidIndex, AddressFamily family) {
        if (gidIndex != FabricDeviceOptions.AUTO) {
            return "index " + gidIndex + " is configured";
        }
        if (entry.type() == GidType.ROCE_V1 && chosen.type() != GidType.ROCE_V1) {
            return "RoCE v1 is not routable";
        }
        if (entry.gid().isLinkLocal() && !chosen.gid().isLinkLocal()) {
            return "link-local";
        }
        if (isLoopback(entry.gid()) && !isLoopback(chosen.gid())) {
            return "loopback";
        }
        if (!family.prefers(entry.gid()) && family.prefers(chosen.gid())) {
            return "not the preferred address family";
        }
        return "higher index";
    }

    private static List<String> warnings(String device, int port, GidEntry chosen, LinkLayer linkLayer) {
        List<String> warnings = new ArrayList<>();
        String subject = "GID " + describe(chosen) + " of " + device + " port " + port;
        if (linkLayer == LinkLayer.ETHERNET && chosen.gid().isLinkLocal()) {
            warnings.add(subject + " is link-local: only peers on the same link can be reached. Give the interface a"
                    + " routable address");
        }
        if (chosen.type() == GidType.ROCE_V1) {
            warnings.add(subject + " is RoCE v1, which is not routable. Enable RoCE v2 on the port");
        }
        return warnings;
    }

    /** Whether this is an address of 127.0.0.0/8 or ::1, which no other host can reach. */
    static boolean isLoopback(Gid gid) {
        return gid.toAddress().isLoopbackAddress();
    }

    static String describe(GidEntry entry) {
        return entry.index() + " " + entry.gid() + " " + entry.type();
    }

    private static String describe(List<GidEntry> table) {
        return table.isEmpty()
                ? "no usable entry"
                : table.stream().map(PathSelector::describe).collect(Collectors.joining(", "));
    }
}

package io.tensorfabric.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** PCI functions in sysfs. Reads anew at each call. */
final class PciTree {

    private static final String DEVICES = "bus/pci/devices/";

    private static final Pattern ADDRESS = Pattern.compile("(?:0000)?([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7])");

    private static final Pattern HOST_BRIDGE = Pattern.compile("pci[0-9a-f]{4}:[0-9a-f]{2}");

    private static final Pattern SPEED = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) GT/s.*");

    private static final Pattern DISPLAY = Pattern.compile("0x03(00|02)[0-9a-f]{2}");

    private static final String NVIDIA = "0x10de";

    private final Sysfs sysfs;

    PciTree(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    /** An address as the kernel writes it; others have upper case, or eight digits of the domain. */
    static String normalize(String address) {
        Matcher matcher = ADDRESS.matcher(address.strip().toLowerCase(Locale.ROOT));
        return matcher.matches() ? matcher.group(1) : address;
    }

    /** GPUs of NVIDIA, in the order of their addresses. */
    List<PciFunction> gpus() {
        List<PciFunction> gpus = new ArrayList<>();
        for (String address : sysfs.names("bus/pci/devices")) {
            boolean gpu = sysfs.text(DEVICES + address + "/vendor")
                            .filter(NVIDIA::equals)
                            .isPresent()
                    && sysfs.text(DEVICES + address + "/class")
                            .filter(text -> DISPLAY.matcher(text).matches())
                            .isPresent();
            if (gpu) {
                at(DEVICES + address).ifPresent(gpus::add);
            }
        }
        return gpus;
    }

    /** The function that a link leads to; empty if it leads to none. */
    Optional<PciFunction> at(String link) {
        Optional<String> target = sysfs.target(link);
        if (target.isEmpty()) {
            return Optional.empty();
        }
        List<String> path = new ArrayList<>();
        for (String part : target.get().split("/", -1)) {
            if (HOST_BRIDGE.matcher(part).matches() || ADDRESS.matcher(part).matches()) {
                path.add(part);
            }
        }
        if (path.isEmpty() || HOST_BRIDGE.matcher(path.get(path.size() - 1)).matches()) {
            return Optional.empty();
        }
        String address = path.remove(path.size() - 1);
        String folder = target.get();
        return Optional.of(new PciFunction(
                address,
                (int) sysfs.number(folder + "/numa_node").orElse(-1),
                link(folder),
                sysfs.text(folder + "/iommu_group/type").orElse(null),
                path));
    }

    private @Nullable PciLink link(String folder) {
        double maxSpeed = speed(folder + "/max_link_speed");
        int maxWidth = width(folder + "/max_link_width");
        return maxSpeed == 0 && maxWidth == 0
                ? null
                : new PciLink(
                        speed(folder + "/current_link_speed"),
                        maxSpeed,
                        width(folder + "/current_link_width"),
                        maxWidth);
    }

    private double speed(String file) {
        Matcher matcher = SPEED.matcher(sysfs.text(file).orElse(""));
        return matcher.matches() ? Double.parseDouble(matcher.group(1)) : 0;
    }

    private int width(String file) {
        long width = sysfs.number(file).orElse(0);
        return width > 0 && width <= 32 ? (int) width : 0;
    }

    /** How far apart two functions are. */
    static Distance distance(PciFunction one, PciFunction other, int numaNodes) {
        if (one.above().isEmpty() || other.above().isEmpty()) {
            return Distance.UNKNOWN;
        }
        int common = common(one, other);
        if (common == 0) {
            return acrossHostBridges(one, other, numaNodes);
        }
        if (common == 1) {
            return Distance.PHB;
        }
        // A switch is two bridges for each device: its port upwards, which they share, and one downwards each.
        boolean oneSwitch = one.above().size() - common <= 1 && other.above().size() - common <= 1;
        return oneSwitch ? Distance.PIX : Distance.PXB;
    }

    /** How many bridges from the top they share. */
    private static int common(PciFunction one, PciFunction other) {
        int common = 0;
        int most = Math.min(one.above().size(), other.above().size());
        while (common < most && one.above().get(common).equals(other.above().get(common))) {
            common++;
        }
        return common;
    }

    private static Distance acrossHostBridges(PciFunction one, PciFunction other, int numaNodes) {
        boolean told = one.numaNode() >= 0 && other.numaNode() >= 0;
        boolean same = told ? one.numaNode() == other.numaNode() : numaNodes == 1;
        return same ? Distance.NODE : Distance.SYS;
    }

    /** The bridges between two functions, without those above both and without the host bridges. */
    static List<String> between(PciFunction one, PciFunction other) {
        int common = Math.max(common(one, other), 1);
        List<String> bridges = new ArrayList<>();
        for (PciFunction function : List.of(one, other)) {
            if (function.above().size() > common) {
                bridges.addAll(function.above().subList(common, function.above().size()));
            }
        }
        return bridges;
    }

    /** Whether a bridge redirects peer-to-peer requests upwards. */
    GpuPairing.Acs acs(String bridge) {
        return sysfs.bytes(DEVICES + bridge + "/config")
                .map(AccessControl::read)
                .orElse(GpuPairing.Acs.UNKNOWN);
    }
}

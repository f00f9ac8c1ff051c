package io.tensorfabric.diagnostics;

import io.tensorfabric.topology.Sysfs;
import java.util.OptionalLong;

/** Sizes of the windows of PCI functions, from the file {@code resource}: first address, last address, flags a line. */
final class PciResources {

    private static final int HEX = 16;

    private PciResources() {}

    /** Size of the second window, through which others reach the memory of a GPU. */
    static OptionalLong bar1(Sysfs sysfs, String address) {
        String[] lines = sysfs.text("bus/pci/devices/" + address + "/resource")
                .orElse("")
                .split("\n", -1);
        if (lines.length < 2) {
            return OptionalLong.empty();
        }
        String[] fields = lines[1].strip().split(" ", -1);
        if (fields.length < 2 || !fields[0].startsWith("0x") || !fields[1].startsWith("0x")) {
            return OptionalLong.empty();
        }
        try {
            long first = Long.parseUnsignedLong(fields[0].substring(2), HEX);
            long last = Long.parseUnsignedLong(fields[1].substring(2), HEX);
            return last > first ? OptionalLong.of(last - first + 1) : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}

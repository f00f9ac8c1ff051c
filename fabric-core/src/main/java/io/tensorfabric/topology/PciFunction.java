package io.tensorfabric.topology;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function of a PCI device.
 *
 * @param address domain, bus, device and function in lower case, such as {@code 0000:81:00.0}
 * @param numaNode NUMA node, -1 if the kernel does not tell, as in most virtual machines
 * @param link its link, {@code null} if it has none, as virtual functions
 * @param iommu how an IOMMU treats it, in the kernel's words such as {@code identity} or {@code DMA-FQ}; {@code null}
 *     without one
 * @param above what it hangs on: the host bridge, then each bridge down to the one right above it
 */
public record PciFunction(
        String address,
        int numaNode,
        @Nullable PciLink link,
        @Nullable String iommu,
        List<String> above) {

    /** Copies the list. */
    public PciFunction {
        above = List.copyOf(above);
    }

    /** Whether an IOMMU translates the addresses that it uses. */
    public boolean isTranslated() {
        return iommu != null && !iommu.equals("identity");
    }
}

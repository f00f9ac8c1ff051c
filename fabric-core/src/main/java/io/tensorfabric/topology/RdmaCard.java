package io.tensorfabric.topology;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An RDMA device.
 *
 * @param name kernel name, such as {@code mlx5_0}
 * @param function where it hangs, {@code null} for devices that are no hardware, such as Soft-RoCE
 * @param networkInterfaces its network interfaces
 */
public record RdmaCard(String name, @Nullable PciFunction function, List<String> networkInterfaces) {

    /** Copies the list. */
    public RdmaCard {
        networkInterfaces = List.copyOf(networkInterfaces);
    }

    /** NUMA node, -1 if the kernel does not tell. */
    public int numaNode() {
        return function == null ? -1 : function.numaNode();
    }
}

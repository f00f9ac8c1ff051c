package io.tensorfabric.diagnostics;

import io.tensorfabric.connection.QueuePairConnectionManager;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.transfer.FabricTransfers;
import java.util.List;

/**
 * The running node that a preflight looks at; owned by the caller.
 *
 * @param connections its connections, and by them its device
 * @param transfers its transfers
 * @param pool its host memory
 * @param gpus memory of the GPUs in use
 * @param withoutGpu why there is none; of no meaning if there is one
 * @param sysfs the kernel's {@code /sys}
 * @param proc the kernel's {@code /proc}
 */
public record PreflightSubject(
        QueuePairConnectionManager connections,
        FabricTransfers transfers,
        MemoryRegionPool pool,
        List<GpuMemory> gpus,
        String withoutGpu,
        Sysfs sysfs,
        Sysfs proc) {

    /** Copies the list. */
    public PreflightSubject {
        gpus = List.copyOf(gpus);
    }
}

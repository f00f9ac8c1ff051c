package io.tensorfabric.autoconfigure.actuate;

import io.tensorfabric.autoconfigure.FabricGpus;
import io.tensorfabric.memory.cuda.CudaDevice;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.transfer.FabricTransfers;

/** Makes the view of the GPUs. */
final class GpuView {

    private GpuView() {}

    static FabricViews.Gpus of(FabricGpus gpus, FabricTransfers transfers) {
        return new FabricViews.Gpus(
                gpus.unavailabilityReason(),
                gpus.landing().toString(),
                gpus.memories().stream().map(GpuView::of).toList(),
                transfers.cudaIpc().stream()
                        .map(ipc ->
                                new FabricViews.CudaIpc(ipc.peer(), ipc.gpu().toString(), ipc.state(), ipc.reason()))
                        .toList(),
                transfers.sharedBytesWaiting());
    }

    private static FabricViews.Gpu of(GpuMemory memory) {
        CudaDevice device = memory.device();
        return new FabricViews.Gpu(
                memory.kind().toString(),
                device.name(),
                device.uuid(),
                device.pciAddress(),
                device.computeCapability(),
                device.totalMemory(),
                memory.path().kind(),
                memory.path().reason(),
                memory.landsDirectly(),
                memory.registrations(),
                memory.registrationHits(),
                memory.registrationMisses());
    }
}

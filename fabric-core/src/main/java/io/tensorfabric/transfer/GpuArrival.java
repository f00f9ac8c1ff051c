package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.cuda.CopyNotEndedException;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.tensor.Tensor;

/** What is between the arrival of a tensor and its listener on a node whose tensors land in GPU memory. */
final class GpuArrival {

    private static final String HOLDER = "a received tensor";

    private GpuArrival() {}

    /** Whether tensors that arrived in memory of a kind are copied on to a GPU. */
    static boolean isCopied(TransferMemory memory, MemoryKind zone) {
        return !zone.equals(memory.landing()) && memory.gpus().landingGpu() != null;
    }

    /** Makes what a peer wrote to memory of a kind visible to the GPU's work. Blocks a little. */
    static void flush(TransferMemory memory, MemoryKind zone) {
        GpuMemory gpu = memory.gpus().find(zone);
        if (gpu != null) {
            gpu.flushWrites();
        }
    }

    /** CRC32C of an arrived tensor. Blocks. */
    static int checksum(TransferMemory memory, Tensor tensor) {
        if (tensor.byteLength() == 0) {
            return 0;
        }
        GpuMemory gpu = memory.gpus().find(tensor.kind());
        return gpu == null
                ? Checksums.of(tensor.address(), tensor.byteLength())
                : GpuSources.checksum(gpu, tensor.address(), tensor.byteLength(), memory);
    }

    /**
     * A copy of an arrived tensor that has bytes in memory of the GPU that tensors land in, owned by the caller. Blocks.
     */
    static BufferLease copyUp(TransferMemory memory, Tensor tensor) {
        GpuMemory gpu = memory.gpus().landingGpu();
        if (gpu == null) {
            throw new IllegalStateException("Tensors land in " + memory.landing() + " of this node");
        }
        BufferLease target = gpu.pool().acquire(tensor.byteLength(), HOLDER);
        try {
            gpu.copies().toDevice(tensor.address(), target.address(), tensor.byteLength(), gpu.copyTimeout());
        } catch (RuntimeException e) {
            // A copy that goes on only reads what the peer may overwrite from now on: nobody sees the result.
            CopyNotEndedException.giveBack(e, target::close);
            throw e;
        }
        return target;
    }
}

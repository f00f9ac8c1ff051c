package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.cuda.CopyNotEndedException;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.tensor.Tensor;

/** What is between the arrival of a tensor and its listener on a node with GPUs. */
final class GpuArrival {

    private static final String HOLDER = "a received tensor";

    private GpuArrival() {}

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
     * A copy of an arrived tensor that has bytes, from host memory in that of a GPU or the other way, owned by the caller.
     * Blocks.
     *
     * @param kind of the copy's memory
     */
    static BufferLease copy(TransferMemory memory, Tensor tensor, MemoryKind kind) {
        boolean up = kind.type() != MemoryKind.Type.HOST;
        GpuMemory gpu = memory.gpus().find(up ? kind : tensor.kind());
        if (gpu == null || up == (tensor.kind().type() != MemoryKind.Type.HOST)) {
            throw new IllegalStateException("Tensors do not come from " + tensor.kind() + " to " + kind);
        }
        long bytes = tensor.byteLength();
        BufferLease target = (up ? gpu.pool() : memory.pool()).acquire(bytes, HOLDER);
        try {
            if (up) {
                gpu.copies().toDevice(tensor.address(), target.address(), bytes, gpu.copyTimeout());
            } else {
                gpu.copies().toHost(tensor.address(), target.address(), bytes, gpu.copyTimeout());
            }
        } catch (RuntimeException e) {
            // A copy that goes on only reads what the peer may overwrite from now on: nobody sees the result.
            CopyNotEndedException.giveBack(e, target::close);
            throw e;
        }
        return target;
    }
}

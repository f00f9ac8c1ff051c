package io.tensorfabric.transfer;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.cuda.GpuMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the GPUs of this node, and where tensors land. Immutable.
 *
 * @param memories in any order, each of another GPU; not owned
 * @param landing where listeners find tensors
 * @param cudaIpc whether GPUs of processes on one host copy to each other by themselves
 */
record Gpus(List<GpuMemory> memories, MemoryKind landing, boolean cudaIpc) {

    Gpus {
        memories = List.copyOf(memories);
    }

    /** The memory of a kind, {@code null} if there is none. */
    @Nullable GpuMemory find(MemoryKind kind) {
        for (int i = 0; i < memories.size(); i++) {
            if (memories.get(i).kind().equals(kind)) {
                return memories.get(i);
            }
        }
        return null;
    }

    /** The GPU that tensors land in, {@code null} for the host. */
    @Nullable GpuMemory landingGpu() {
        return find(landing);
    }
}

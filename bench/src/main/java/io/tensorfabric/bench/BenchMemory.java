package io.tensorfabric.bench;

import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;

/** Where the tensors of a benchmark lie: in memory of the first GPU of its node, or of the host where it uses none. */
final class BenchMemory {

    private static final long PIECE = 16L << 20;

    private final FabricNode node;

    private final @Nullable GpuMemory gpu;

    private BenchMemory(FabricNode node, @Nullable GpuMemory gpu) {
        this.node = node;
        this.gpu = gpu;
    }

    /** That of a running node. */
    static BenchMemory of(ApplicationContext context) {
        FabricNode node = Objects.requireNonNull(
                context.getBean(FabricLifecycle.class).node(), "The fabric of the benchmark does not run");
        List<GpuMemory> gpus = node.gpus().memories();
        return new BenchMemory(node, gpus.isEmpty() ? null : gpus.get(0));
    }

    /** A tensor of bytes that are all ones. The caller closes it. */
    Tensor tensor(long size) {
        MemoryRegionPool pool = gpu == null ? node.hostPool() : gpu.pool();
        BufferLease lease = pool.acquire(size, "bench");
        try {
            fill(lease);
        } catch (RuntimeException ex) {
            lease.close();
            throw ex;
        }
        MemoryKind kind = lease.kind();
        return Tensor.of(new TensorDescriptor("bench", DataType.U8, Shape.of(size)), lease.address(), kind, lease);
    }

    private void fill(BufferLease lease) {
        if (gpu == null) {
            OffHeap.fill(lease.address(), lease.length(), (byte) 1);
            return;
        }
        try (BufferLease host = node.hostPool().acquire(Math.min(PIECE, lease.length()), "bench")) {
            OffHeap.fill(host.address(), host.length(), (byte) 1);
            for (long at = 0; at < lease.length(); at += host.length()) {
                long length = Math.min(host.length(), lease.length() - at);
                gpu.copies().toDevice(host.address(), lease.address() + at, length, gpu.copyTimeout());
            }
        }
    }

    /** One line that says where tensors lie; a stub of the CUDA driver gives its own name. */
    String describe() {
        if (gpu == null) {
            return "tensors in host memory";
        }
        return "tensors in GPU memory of " + gpu.device().name() + " by "
                + gpu.path().kind() + ", since " + gpu.path().reason();
    }
}

package io.tensorfabric.service.store;

import io.tensorfabric.autoconfigure.FabricGpus;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.memory.cuda.CopyNotEndedException;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import org.springframework.stereotype.Component;

/** Memory of tensors, in the host and in GPUs, and copies between them. Thread-safe. */
@Component
public class TensorMemory {

    private final FabricLifecycle fabric;

    private final MemoryRegionPool host;

    TensorMemory(FabricLifecycle fabric, MemoryRegionPool host) {
        this.fabric = fabric;
        this.host = host;
    }

    /** Buffer in host memory, owned by the caller. */
    public BufferLease onHost(long bytes, String holder) {
        return host.acquire(bytes, holder);
    }

    /**
     * The memory that a word names.
     *
     * @param text {@code host}, {@code cuda:N}, or {@code auto} for where received tensors land
     * @throws IllegalArgumentException if it is none of them, or a GPU that is not in use
     */
    public MemoryKind kind(String text) {
        FabricGpus gpus = fabric.requireNode().gpus();
        if ("auto".equals(text)) {
            return gpus.landing();
        }
        MemoryKind kind = MemoryKind.parse(text);
        if (kind.type() != MemoryKind.Type.HOST
                && gpus.memories().stream().noneMatch(gpu -> gpu.kind().equals(kind))) {
            String why = gpus.unavailabilityReason();
            throw new IllegalArgumentException(
                    "There is no " + kind + " in use here" + (why == null ? "" : ": " + why));
        }
        return kind;
    }

    /** A tensor of its own with the bytes of another one, in memory of the same kind. */
    public Tensor copy(Tensor tensor, String holder) {
        long bytes = tensor.byteLength();
        if (tensor.kind().type() == MemoryKind.Type.HOST) {
            BufferLease lease = host.acquire(bytes, holder);
            if (bytes > 0) {
                OffHeap.copy(tensor.address(), lease.address(), bytes);
            }
            return Tensor.of(tensor.descriptor(), lease.address(), lease);
        }
        GpuMemory gpu = gpu(tensor.kind());
        BufferLease lease = gpu.pool().acquire(bytes, holder);
        if (bytes > 0) {
            filled(lease, () -> gpu.copies().onDevice(tensor.address(), lease.address(), bytes, gpu.copyTimeout()));
        }
        return Tensor.of(tensor.descriptor(), lease.address(), tensor.kind(), lease);
    }

    /** A tensor of the bytes in a host buffer, which it takes over, in memory of a kind. */
    public Tensor place(TensorDescriptor descriptor, BufferLease source, MemoryKind kind, String holder) {
        if (kind.type() == MemoryKind.Type.HOST) {
            return Tensor.of(descriptor, source.address(), source);
        }
        try (BufferLease taken = source) {
            GpuMemory gpu = gpu(kind);
            BufferLease lease = gpu.pool().acquire(descriptor.byteLength(), holder);
            if (descriptor.byteLength() > 0) {
                filled(
                        lease,
                        () -> gpu.copies()
                                .toDevice(
                                        taken.address(), lease.address(), descriptor.byteLength(), gpu.copyTimeout()));
            }
            return Tensor.of(descriptor, lease.address(), kind, lease);
        }
    }

    /** A copy in host memory of a tensor that lies in a GPU, owned by the caller. */
    public BufferLease toHost(Tensor tensor, String holder) {
        GpuMemory gpu = gpu(tensor.kind());
        BufferLease lease = host.acquire(tensor.byteLength(), holder);
        filled(
                lease,
                () -> gpu.copies().toHost(tensor.address(), lease.address(), tensor.byteLength(), gpu.copyTimeout()));
        return lease;
    }

    private static void filled(BufferLease lease, Runnable copy) {
        try {
            copy.run();
        } catch (CopyNotEndedException e) {
            e.whenEnded(lease::close);
            throw e;
        } catch (RuntimeException e) {
            lease.close();
            throw e;
        }
    }

    private GpuMemory gpu(MemoryKind kind) {
        return fabric.requireNode().gpus().memories().stream()
                .filter(gpu -> gpu.kind().equals(kind))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("There is no " + kind + " in use here"));
    }
}

package io.tensorfabric.memory.cuda;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Memory of one GPU for the slabs of its pool, registered in the way that was found to work. Thread-safe. */
final class CudaMemoryProvider implements MemoryProvider {

    /** What the driver promises. */
    private static final long NATURAL_ALIGNMENT = 256;

    /** What a dma-buf's pages need, and the most that is asked of the driver. */
    private static final long LARGEST_ALIGNMENT = 64 * 1024;

    private final CudaContext context;

    private final GpuRegistrar registrar;

    private final GpuPath path;

    /** What the driver returned, by the aligned address that was handed out. */
    private final Map<Long, Long> allocations = new ConcurrentHashMap<>();

    CudaMemoryProvider(CudaContext context, GpuRegistrar registrar, GpuPath path) {
        this.context = context;
        this.registrar = registrar;
        this.path = path;
    }

    @Override
    public MemoryKind kind() {
        return MemoryKind.cuda(context.ordinal());
    }

    @Override
    public long allocate(long bytes, long alignment) {
        long unit = Math.min(Math.max(alignment, NATURAL_ALIGNMENT), LARGEST_ALIGNMENT);
        return context.call(() -> allocateAligned(bytes, unit));
    }

    private long allocateAligned(long bytes, long unit) {
        long raw = CudaDriver.allocate(bytes, context.ordinal());
        if (raw % unit != 0) {
            CudaDriver.free(raw, context.ordinal());
            raw = CudaDriver.allocate(bytes + unit, context.ordinal());
        }
        long address = (raw + unit - 1) & -unit;
        allocations.put(address, raw);
        CudaDriver.setSyncMemops(raw);
        return address;
    }

    @Override
    public MemoryRegion register(ProtectionDomain domain, long address, long length, Set<AccessFlag> access) {
        if (!path.isDirect()) {
            return new UnregisteredRegion(address, length);
        }
        try {
            return registrar.register(domain, path.kind(), address, length, access);
        } catch (CudaDriverException e) {
            VerbsException refusal = new VerbsException(e.call(), Errno.EIO, String.valueOf(e.getMessage()));
            refusal.initCause(e);
            throw refusal;
        }
    }

    @Override
    public void free(long address) {
        Long raw = allocations.remove(address);
        if (raw == null) {
            throw new IllegalArgumentException("GPU memory was freed twice, or not allocated here");
        }
        context.run(() -> CudaDriver.free(raw, context.ordinal()));
    }
}

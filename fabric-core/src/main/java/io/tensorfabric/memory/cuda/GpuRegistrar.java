package io.tensorfabric.memory.cuda;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Registers memory of one GPU in one protection domain, in the way that was found to work. Thread-safe. */
final class GpuRegistrar {

    private final CudaContext context;

    private final ProtectionDomain domain;

    private final @Nullable CudaExtensions extensions;

    private final long largestRegion;

    GpuRegistrar(CudaContext context, ProtectionDomain domain, @Nullable CudaExtensions extensions) {
        this.context = context;
        this.domain = domain;
        this.extensions = extensions;
        long limit = domain.context().queryDevice().maxMemoryRegionSize();
        this.largestRegion = limit <= 0 ? Long.MAX_VALUE : limit & -(long) OffHeap.pageSize();
    }

    ProtectionDomain domain() {
        return domain;
    }

    /**
     * Registers a range as one region.
     *
     * @throws VerbsException if the verbs device refuses
     * @throws CudaDriverException if the driver does not export the memory
     */
    MemoryRegion register(
            ProtectionDomain target, GpuPath.Kind way, long address, long length, Set<AccessFlag> access) {
        return registerParts(target, way, address, length, length, access).get(0);
    }

    /** Registers a range in as many regions as the verbs device needs; all of them have the same length but the last. */
    GpuRegions register(GpuPath.Kind way, long address, long length, Set<AccessFlag> access) {
        List<MemoryRegion> parts = registerParts(domain, way, address, length, largestRegion, access);
        return new GpuRegions(address, length, Math.min(length, largestRegion), parts);
    }

    private List<MemoryRegion> registerParts(
            ProtectionDomain target,
            GpuPath.Kind way,
            long address,
            long length,
            long largest,
            Set<AccessFlag> access) {
        return switch (way) {
            case DMABUF -> registerDmaBuf(target, address, length, largest, access);
            case PEERMEM ->
                split(address, length, largest, (start, bytes) -> target.registerPeerMemory(start, bytes, access));
            case STAGING -> throw new IllegalStateException("GPU memory has no direct path here: it is staged");
        };
    }

    private List<MemoryRegion> registerDmaBuf(
            ProtectionDomain target, long address, long length, long largest, Set<AccessFlag> access) {
        CudaExtensions driver = extensions;
        if (driver == null) {
            throw new IllegalStateException("The native part of the fabric, which exports dma-bufs, is not available");
        }
        long page = OffHeap.pageSize();
        long start = address & -page;
        long end = (address + length + page - 1) & -page;
        long descriptor = context.call(() -> driver.exportDmaBuf(start, end - start));
        if (descriptor < 0) {
            throw CudaDriver.failure(
                    "cuMemGetHandleForAddressRange",
                    (int) -descriptor,
                    "a dma-buf of " + (end - start) + " bytes of GPU " + context.ordinal());
        }
        int file = (int) descriptor;
        try {
            return split(
                    address,
                    length,
                    largest,
                    (at, bytes) -> target.registerDmaBuf(file, at - start, bytes, at, access));
        } finally {
            driver.close(file);
        }
    }

    /** Registers a part. */
    private interface Part {
        MemoryRegion register(long address, long length);
    }

    private List<MemoryRegion> split(long address, long length, long largest, Part part) {
        List<MemoryRegion> parts = new ArrayList<>();
        try {
            for (long done = 0; done < length; done += largest) {
                parts.add(part.register(address + done, Math.min(largest, length - done)));
            }
            return parts;
        } catch (RuntimeException e) {
            for (MemoryRegion made : parts) {
                try {
                    made.close();
                } catch (VerbsException closing) {
                    e.addSuppressed(closing);
                }
            }
            throw e;
        }
    }
}

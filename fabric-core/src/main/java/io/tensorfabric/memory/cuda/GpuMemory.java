package io.tensorfabric.memory.cuda;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Memory of one GPU as one verbs device sees it: the path between both, a pool, registrations of the application's own
 * memory, and copies. Close it after everything that uses it, and before the verbs device. Thread-safe.
 */
public final class GpuMemory implements AutoCloseable {

    private final CudaDevice device;

    private final CudaContext context;

    private final GpuMemoryOptions options;

    private final @Nullable CudaExtensions extensions;

    private final GpuPath path;

    private final GpuRegistrationCache cache;

    private final MemoryRegionPool pool;

    private final GpuCopies copies;

    private final CudaIpcMemory shared;

    private GpuMemory(
            CudaDevice device,
            CudaContext context,
            ProtectionDomain domain,
            GpuMemoryOptions options,
            boolean allowWindows) {
        this.device = device;
        this.context = context;
        this.options = options;
        this.extensions = ServiceLoader.load(CudaExtensions.class, CudaExtensions.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(CudaExtensions::isAvailable)
                .findFirst()
                .orElse(null);
        GpuRegistrar registrar = new GpuRegistrar(context, domain, extensions);
        this.path = new GpuPathProbe(device, context, registrar, extensions)
                .decide(options.registration(), options.directRequired());
        this.cache = new GpuRegistrationCache(context, registrar, path.kind(), options.cachedRegistrations());
        this.pool = MemoryRegionPool.create(
                kind().toString(),
                domain,
                new CudaMemoryProvider(context, registrar, path),
                options.pool(),
                allowWindows && path.isDirect());
        this.copies = new GpuCopies(context);
        this.shared = new CudaIpcMemory(context, copies, options.copyTimeout());
    }

    /**
     * Opens the memory of a GPU and decides on the path.
     *
     * @param platform the GPUs of this process
     * @param ordinal number of the GPU
     * @param domain where its memory is registered; it must outlive this
     * @param options how
     * @param allowWindows whether memory windows may be bound to buffers of the pool
     * @throws GpuUnavailableException if there is no such GPU
     * @throws GpuDirectUnavailableException if a direct path is required and there is none
     * @throws CudaDriverException if the driver refuses
     */
    public static GpuMemory open(
            CudaPlatform platform,
            int ordinal,
            ProtectionDomain domain,
            GpuMemoryOptions options,
            boolean allowWindows) {
        CudaDevice device = platform.device(ordinal);
        CudaContext context = CudaContext.retain(ordinal);
        try {
            return new GpuMemory(device, context, domain, options, allowWindows);
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    /** The GPU. */
    public CudaDevice device() {
        return device;
    }

    /** Kind of the memory. */
    public MemoryKind kind() {
        return MemoryKind.cuda(device.ordinal());
    }

    /** The path between GPU and verbs device; never changes. */
    public GpuPath path() {
        return path;
    }

    /** Buffers in GPU memory, aligned to 64 KiB; registered if the path is direct. */
    public MemoryRegionPool pool() {
        return pool;
    }

    /** Copies between GPU and host. */
    public GpuCopies copies() {
        return copies;
    }

    /** Longest time that a copy may take. */
    public Duration copyTimeout() {
        return options.copyTimeout();
    }

    /** Host memory for the pools that copies go through; free all of it before this is closed. */
    public MemoryProvider pinnedHostMemory() {
        return new PinnedMemoryProvider(context);
    }

    /**
     * Whether peers may write into GPU memory: the path is direct, and their writes can be made visible to the GPU.
     */
    public boolean landsDirectly() {
        return path.isDirect() && (device.direct().ordersWrites() || canFlush());
    }

    private boolean canFlush() {
        return device.direct().flushByHost() && extensions != null;
    }

    /** Makes what peers have written visible to the GPU's work, if the GPU needs that. */
    public void flushWrites() {
        CudaExtensions driver = extensions;
        if (device.direct().ordersWrites() || driver == null) {
            return;
        }
        int code = context.call(driver::flushWrites);
        if (code != CudaError.SUCCESS) {
            throw CudaDriver.failure("cuFlushGPUDirectRDMAWrites", code, "writes to cuda:" + device.ordinal());
        }
    }

    /** The pool's region that holds a whole range, {@code null} if there is none. */
    public @Nullable MemoryRegion regionOf(long address, long length) {
        return pool.regionOf(address, length);
    }

    /**
     * Registers memory of the application for reading, or finds that it is registered. May block for the device.
     *
     * @param address first byte
     * @param length bytes, at least 1
     * @throws IllegalArgumentException if it is not memory of this GPU, or not all of it
     * @throws CudaDriverException if the driver does not export it
     * @throws io.tensorfabric.verbs.VerbsException if the verbs device refuses
     */
    public GpuSource register(long address, long length) {
        return cache.acquire(address, length);
    }

    /** Allocations of the application that are registered now. */
    public int registrations() {
        return cache.size();
    }

    /** How often a registration was found. */
    public long registrationHits() {
        return cache.hits();
    }

    /** How often a registration had to be made. */
    public long registrationMisses() {
        return cache.misses();
    }

    /**
     * Allocates memory that another process of this host can open. Blocks until it holds zeros only.
     *
     * @param bytes at least so many
     * @throws CudaDriverException if there is none, or the driver shares none
     */
    public GpuExport export(long bytes) {
        return shared.export(bytes);
    }

    /**
     * Opens memory of another process of this host for copies by this GPU.
     *
     * @param handle what the other process's {@link GpuExport#handle} is
     * @throws IllegalArgumentException if it is no handle
     * @throws CudaDriverException if the driver does not open it
     */
    public GpuImport open(byte[] handle) {
        if (handle.length != CudaIpc.HANDLE_BYTES) {
            throw new IllegalArgumentException("A handle has " + CudaIpc.HANDLE_BYTES + " bytes, not " + handle.length);
        }
        return shared.open(handle);
    }

    /** Allocations that other processes may have open. */
    public int exports() {
        return shared.exports();
    }

    List<Long> exported() {
        return shared.exported();
    }

    /** Allocations of other processes that are open here. */
    public int imports() {
        return shared.imports();
    }

    /** Deregisters what nobody uses, and frees the pool's idle slabs. */
    public void trim() {
        context.run(cache::trim);
        pool.trim();
    }

    @Override
    public void close() {
        pool.close();
        shared.close();
        copies.close();
        context.run(cache::close);
        context.close();
    }

    @Override
    public String toString() {
        return "GpuMemory[" + kind() + ", " + device.name() + ", " + path.kind() + "]";
    }
}

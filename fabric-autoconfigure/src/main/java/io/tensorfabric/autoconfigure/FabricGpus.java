package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.memory.HostMemoryProvider;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.memory.cuda.CudaDriverException;
import io.tensorfabric.memory.cuda.CudaPlatform;
import io.tensorfabric.memory.cuda.GpuDirectUnavailableException;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.memory.cuda.GpuMemoryOptions;
import io.tensorfabric.memory.cuda.GpuUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs that the running fabric uses, with their paths to the device. Owned by {@link FabricLifecycle}. Thread-safe.
 */
public final class FabricGpus implements AutoCloseable {

    private static final String ACTION =
            "Look at 'nvidia-smi', CUDA_VISIBLE_DEVICES and the properties below 'fabric.gpu'"
                    + " and 'fabric.landing.memory'; see docs/gpu.md for what each path needs.";

    private final List<GpuMemory> memories;

    private final MemoryKind landing;

    private final @Nullable String reason;

    private FabricGpus(List<GpuMemory> memories, MemoryKind landing, @Nullable String reason) {
        this.memories = List.copyOf(memories);
        this.landing = landing;
        this.reason = reason;
    }

    static FabricGpus open(FabricProperties properties, FabricDevice device) {
        try {
            return open(properties, device, CudaPlatform::detect);
        } catch (GpuUnavailableException | GpuDirectUnavailableException | CudaDriverException ex) {
            throw new FabricUnavailableException(
                    "GPU memory cannot be used as asked for. " + ex.getMessage(), ACTION, ex);
        }
    }

    /** The GPUs of the process; asked for only if they are wanted. */
    private interface Platform {
        CudaPlatform detect();
    }

    private static FabricGpus open(FabricProperties properties, FabricDevice device, Platform source) {
        GpuProperties gpu = properties.gpu();
        LandingMemory landing = LandingMemory.parse(properties.landing().memory());
        if (!gpu.enabled()) {
            requireNone(gpu, landing, "'fabric.gpu.enabled' is false");
            return new FabricGpus(List.of(), MemoryKind.HOST, "'fabric.gpu.enabled' is false");
        }
        CudaPlatform platform = source.detect();
        if (!platform.isAvailable() && gpu.devices().isEmpty()) {
            String reason = platform.unavailabilityReason().orElse("unknown");
            requireNone(gpu, landing, reason);
            return new FabricGpus(List.of(), MemoryKind.HOST, reason);
        }
        List<GpuMemory> memories = openAll(ordinals(gpu, platform), platform, properties, device);
        try {
            return new FabricGpus(memories, landing.among(memories), null);
        } catch (RuntimeException ex) {
            memories.forEach(GpuMemory::close);
            throw ex;
        }
    }

    private static void requireNone(GpuProperties gpu, LandingMemory landing, String reason) {
        if (gpu.direct() == GpuProperties.Direct.REQUIRED || landing.isGpu()) {
            String wanted = landing.isGpu() ? "'fabric.landing.memory'" : "'fabric.gpu.direct=required'";
            throw new FabricUnavailableException(
                    wanted + " asks for a GPU, and there is none: " + reason, ACTION, null);
        }
    }

    private static List<Integer> ordinals(GpuProperties gpu, CudaPlatform platform) {
        return gpu.devices().isEmpty()
                ? IntStream.range(0, platform.devices().size()).boxed().toList()
                : gpu.devices().stream().distinct().toList();
    }

    private static List<GpuMemory> openAll(
            List<Integer> ordinals, CudaPlatform platform, FabricProperties properties, FabricDevice device) {
        List<GpuMemory> memories = new ArrayList<>();
        try {
            for (int ordinal : ordinals) {
                memories.add(GpuMemory.open(
                        platform, ordinal, device.protectionDomain(), options(properties), device.usesMemoryWindows()));
            }
            return memories;
        } catch (RuntimeException ex) {
            memories.forEach(GpuMemory::close);
            throw ex;
        }
    }

    private static GpuMemoryOptions options(FabricProperties properties) {
        FabricProperties.Memory.Gpu pool = properties.memory().gpu();
        GpuProperties gpu = properties.gpu();
        return new GpuMemoryOptions(
                new MemoryPoolOptions(
                        pool.slabSize().toBytes(),
                        pool.maxSize().toBytes(),
                        GpuMemoryOptions.BLOCK,
                        pool.acquireTimeout()),
                gpu.effectiveRegistration(),
                gpu.direct() == GpuProperties.Direct.REQUIRED,
                gpu.maxRegistrations(),
                gpu.copyTimeout());
    }

    /** PCI addresses of the GPUs that will be used; none if there are none, whatever the reason. */
    static List<String> wanted(GpuProperties gpu) {
        if (!gpu.enabled()) {
            return List.of();
        }
        CudaPlatform platform = CudaPlatform.detect();
        return ordinals(gpu, platform).stream()
                .filter(ordinal -> ordinal >= 0 && ordinal < platform.devices().size())
                .map(ordinal -> platform.devices().get(ordinal).pciAddress())
                .toList();
    }

    /** Memory of each GPU in use; use it, but never close it. */
    public List<GpuMemory> memories() {
        return memories;
    }

    /** Where listeners find tensors. */
    public MemoryKind landing() {
        return landing;
    }

    /** Why there is no GPU, {@code null} if there is one. */
    public @Nullable String unavailabilityReason() {
        return reason;
    }

    /** What the host pool is made of: memory that the GPUs can copy from and to. */
    MemoryProvider hostMemory() {
        return memories.isEmpty() ? new HostMemoryProvider() : memories.get(0).pinnedHostMemory();
    }

    /** One line for the log. */
    String describe() {
        if (memories.isEmpty()) {
            return "Host memory only, no GPU memory: " + reason;
        }
        StringBuilder text = new StringBuilder();
        for (GpuMemory memory : memories) {
            text.append(text.isEmpty() ? "" : "; ")
                    .append(memory.kind())
                    .append(" (")
                    .append(memory.device().name())
                    .append(", ")
                    .append(memory.device().pciAddress())
                    .append(") by ")
                    .append(memory.path().kind())
                    .append(", since ")
                    .append(memory.path().reason());
        }
        return text.append("; tensors land in ").append(landing).toString();
    }

    /** What works, but not as well as it could. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        for (GpuMemory memory : memories) {
            if (!memory.path().isDirect()) {
                warnings.add("Transfers of " + memory.kind() + " are staged through host memory: "
                        + memory.path().reason());
            } else if (!memory.landsDirectly()) {
                warnings.add("Tensors reach " + memory.kind()
                        + " through host memory: the GPU neither orders the writes of other devices nor lets the host"
                        + " flush them");
            }
        }
        return warnings;
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (GpuMemory memory : memories) {
            try {
                memory.close();
            } catch (RuntimeException ex) {
                failure = ex;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}

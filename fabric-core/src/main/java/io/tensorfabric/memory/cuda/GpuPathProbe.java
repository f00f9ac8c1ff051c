package io.tensorfabric.memory.cuda;

import io.tensorfabric.memory.cuda.GpuPath.Kind;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds out, by registering a little memory, how a verbs device reaches a GPU. */
final class GpuPathProbe {

    private static final long BYTES = 64 * 1024;

    private final CudaDevice device;

    private final CudaContext context;

    private final GpuRegistrar registrar;

    private final @Nullable CudaExtensions extensions;

    GpuPathProbe(CudaDevice device, CudaContext context, GpuRegistrar registrar, @Nullable CudaExtensions extensions) {
        this.device = device;
        this.context = context;
        this.registrar = registrar;
        this.extensions = extensions;
    }

    /**
     * Decides.
     *
     * @param wanted ways to try
     * @param required whether staging is no answer
     * @throws GpuDirectUnavailableException if there is no direct path and one is required, or the one that was asked for
     *     does not work
     */
    GpuPath decide(GpuRegistration wanted, boolean required) {
        if (wanted == GpuRegistration.STAGING) {
            if (required) {
                throw new GpuDirectUnavailableException(
                        "A direct path between GPU and device is required, and staging is asked for");
            }
            return new GpuPath(Kind.STAGING, "staging was asked for");
        }
        List<String> refusals = new ArrayList<>();
        for (Kind way : ways(wanted)) {
            String refusal = tryWay(way);
            if (refusal == null) {
                return new GpuPath(way, reason(way, refusals));
            }
            refusals.add(name(way) + ": " + refusal);
        }
        String all = String.join("; ", refusals);
        if (required || wanted != GpuRegistration.AUTO) {
            throw new GpuDirectUnavailableException("cuda:" + device.ordinal() + " (" + device.name()
                    + ") has no direct path to " + registrar.domain().context().deviceName() + ": " + all);
        }
        return new GpuPath(Kind.STAGING, "there is no direct path: " + all);
    }

    private static List<Kind> ways(GpuRegistration wanted) {
        return switch (wanted) {
            case DMABUF -> List.of(Kind.DMABUF);
            case PEERMEM -> List.of(Kind.PEERMEM);
            default -> List.of(Kind.DMABUF, Kind.PEERMEM);
        };
    }

    private static String name(Kind way) {
        return way == Kind.DMABUF ? "dma-buf" : "peer memory";
    }

    private static String reason(Kind way, List<String> refusals) {
        String works = "a probe could register GPU memory as " + name(way);
        return refusals.isEmpty() ? works : works + "; " + String.join("; ", refusals);
    }

    /** Why a way does not work, {@code null} if it does. */
    private @Nullable String tryWay(Kind way) {
        if (!device.direct().rdma()) {
            return "the GPU has no GPUDirect RDMA (CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED)";
        }
        if (way == Kind.DMABUF) {
            if (!device.direct().dmaBuf()) {
                return "the GPU or its driver exports none (CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED; it needs the open"
                        + " kernel modules of NVIDIA's driver)";
            }
            if (extensions == null) {
                return "the native part of the fabric (fabric-native) is not available";
            }
        }
        try {
            context.run(() -> registerSome(way));
            return null;
        } catch (VerbsException | CudaDriverException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void registerSome(Kind way) {
        long address = CudaDriver.allocate(BYTES, device.ordinal());
        try {
            registrar
                    .register(way, address, BYTES, Set.of(AccessFlag.LOCAL_WRITE))
                    .close();
        } finally {
            CudaDriver.free(address, device.ordinal());
        }
    }
}

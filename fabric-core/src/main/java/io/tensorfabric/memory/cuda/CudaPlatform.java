package io.tensorfabric.memory.cuda;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs that this process can use, found once. Never fails: without JCuda, driver or GPU there are none, and the reason
 * says which. Immutable and thread-safe.
 */
public final class CudaPlatform {

    private final List<CudaDevice> devices;

    private final @Nullable String reason;

    private CudaPlatform(List<CudaDevice> devices, @Nullable String reason) {
        this.devices = devices;
        this.reason = reason;
    }

    /** The GPUs, looked for at the first call. */
    public static CudaPlatform detect() {
        return Holder.INSTANCE;
    }

    /** Looks again, as a process that starts now would. */
    static CudaPlatform detectAnew() {
        String problem = JCudaLibrary.failure();
        try {
            if (problem == null) {
                problem = CudaDiscovery.initialize();
            }
            return problem == null ? new CudaPlatform(CudaDiscovery.devices(), null) : none(problem);
        } catch (CudaDriverException e) {
            return none(String.valueOf(e.getMessage()));
        } catch (LinkageError e) {
            return none("JCuda on the class path is not version 12.6: " + e);
        }
    }

    private static CudaPlatform none(String problem) {
        return new CudaPlatform(List.of(), problem);
    }

    /** Whether there is a GPU. */
    public boolean isAvailable() {
        return reason == null;
    }

    /** Why there is no GPU; empty when there is one. */
    public Optional<String> unavailabilityReason() {
        return Optional.ofNullable(reason);
    }

    /** The visible GPUs in the order of their numbers. */
    public List<CudaDevice> devices() {
        return devices;
    }

    /**
     * A GPU by its number.
     *
     * @throws GpuUnavailableException if there is none of that number; the message says why
     */
    public CudaDevice device(int ordinal) {
        if (reason != null) {
            throw new GpuUnavailableException("There is no GPU memory on this node: " + reason);
        }
        if (ordinal < 0 || ordinal >= devices.size()) {
            throw new GpuUnavailableException("There is no GPU cuda:" + ordinal + " on this node: " + devices.size()
                    + " visible, counted from cuda:0; see CUDA_VISIBLE_DEVICES");
        }
        return devices.get(ordinal);
    }

    /** Asks the driver when it is first needed. */
    private static final class Holder {
        private static final CudaPlatform INSTANCE = detectAnew();
    }
}

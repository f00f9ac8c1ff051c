package io.tensorfabric.memory.cuda;

import java.util.Objects;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/**
 * Work of a GPU that a push waits for before the tensor's bytes are read. Immutable.
 *
 * <p>Without one, a push waits for the legacy default stream of the GPU's primary context. That includes all work that was
 * given to ordinary streams before the push, but none of streams made with {@code CU_STREAM_NON_BLOCKING}: name those.
 */
public final class CudaWait {

    private final @Nullable CUstream stream;

    private final @Nullable CUevent event;

    private CudaWait(@Nullable CUstream stream, @Nullable CUevent event) {
        this.stream = stream;
        this.event = event;
    }

    /** All work that was given to a stream before the push is called. */
    public static CudaWait stream(CUstream stream) {
        return new CudaWait(Objects.requireNonNull(stream, "stream"), null);
    }

    /** An event that was recorded before the push is called. It must not be recorded again or destroyed until the push ends. */
    public static CudaWait event(CUevent event) {
        return new CudaWait(null, Objects.requireNonNull(event, "event"));
    }

    @Nullable CUstream stream() {
        return stream;
    }

    @Nullable CUevent event() {
        return event;
    }

    @Override
    public String toString() {
        return stream != null ? "CudaWait[stream]" : "CudaWait[event]";
    }
}

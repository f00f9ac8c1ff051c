package io.tensorfabric.memory.cuda;

import java.util.function.Supplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/**
 * The primary context of a GPU, which all libraries of a process share. It is retained once and made current for one call
 * at a time; the context that the calling thread had before is current again afterwards. Thread-safe.
 */
final class CudaContext implements AutoCloseable {

    private final int ordinal;

    private final CUdevice device;

    private final CUcontext context;

    private boolean closed;

    private CudaContext(int ordinal, CUdevice device, CUcontext context) {
        this.ordinal = ordinal;
        this.device = device;
        this.context = context;
    }

    static CudaContext retain(int ordinal) {
        CUdevice device = CudaDriver.device(ordinal);
        return new CudaContext(ordinal, device, CudaDriver.retainPrimary(device, ordinal));
    }

    int ordinal() {
        return ordinal;
    }

    /** Runs something with the context current. */
    void run(Runnable action) {
        enter();
        try {
            action.run();
        } finally {
            leave();
        }
    }

    /** Asks something with the context current. */
    <T> T call(Supplier<T> question) {
        enter();
        try {
            return question.get();
        } finally {
            leave();
        }
    }

    private void enter() {
        CudaDriver.check(
                "cuCtxPushCurrent",
                "the primary context of GPU " + ordinal,
                () -> JCudaDriver.cuCtxPushCurrent(context));
    }

    private void leave() {
        CUcontext popped = new CUcontext();
        CudaDriver.check(
                "cuCtxPopCurrent", "the primary context of GPU " + ordinal, () -> JCudaDriver.cuCtxPopCurrent(popped));
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            CudaDriver.check(
                    "cuDevicePrimaryCtxRelease", "GPU " + ordinal, () -> JCudaDriver.cuDevicePrimaryCtxRelease(device));
        }
    }

    @Override
    public String toString() {
        return "CudaContext[cuda:" + ordinal + "]";
    }
}

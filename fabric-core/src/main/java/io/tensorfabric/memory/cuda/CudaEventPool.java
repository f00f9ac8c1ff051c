package io.tensorfabric.memory.cuda;

import java.util.ArrayDeque;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** Events of one context, used again and again. The context is current for the caller. Thread-safe. */
final class CudaEventPool {

    private static final String DETAIL = "an event of a transfer";

    private final ArrayDeque<CUevent> idle = new ArrayDeque<>();

    private boolean closed;

    /** An event that tells when all of a stream so far is done. */
    CUevent record(CUstream stream) {
        CUevent event = take();
        try {
            CudaDriver.check("cuEventRecord", DETAIL, () -> JCudaDriver.cuEventRecord(event, stream));
        } catch (CudaDriverException e) {
            give(event);
            throw e;
        }
        return event;
    }

    private CUevent take() {
        synchronized (this) {
            CUevent event = idle.poll();
            if (event != null) {
                return event;
            }
        }
        return create();
    }

    static CUevent create() {
        CUevent event = new CUevent();
        CudaDriver.check(
                "cuEventCreate", DETAIL, () -> JCudaDriver.cuEventCreate(event, CUevent_flags.CU_EVENT_DISABLE_TIMING));
        return event;
    }

    void give(CUevent event) {
        synchronized (this) {
            if (!closed) {
                idle.push(event);
                return;
            }
        }
        destroy(event);
    }

    static void destroy(CUevent event) {
        CudaDriver.check("cuEventDestroy", DETAIL, () -> JCudaDriver.cuEventDestroy(event));
    }

    synchronized void close() {
        closed = true;
        idle.forEach(CudaEventPool::destroy);
        idle.clear();
    }
}

package io.tensorfabric.memory.cuda;

/** A call of the CUDA driver failed: which call, with which error, on what, and what to do. */
public final class CudaDriverException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String call;

    private final CudaError error;

    CudaDriverException(String call, CudaError error, String detail) {
        super(call + " failed with " + error.name() + ": " + detail + ". " + error.remedy());
        this.call = call;
        this.error = error;
    }

    /** Name of the driver's call. */
    public String call() {
        return call;
    }

    /** The error. */
    public CudaError error() {
        return error;
    }
}

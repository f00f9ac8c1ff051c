package io.tensorfabric.memory.cuda;

import java.util.Map;

/**
 * An error of the CUDA driver.
 *
 * @param code the driver's number
 * @param name the driver's name, such as {@code CUDA_ERROR_OUT_OF_MEMORY}
 */
public record CudaError(int code, String name) {

    static final int SUCCESS = 0;
    static final int INVALID_VALUE = 1;
    static final int OUT_OF_MEMORY = 2;
    static final int NO_DEVICE = 100;
    static final int NOT_READY = 600;
    static final int NOT_SUPPORTED = 801;

    private static final Map<Integer, String> REMEDIES = Map.of(
            INVALID_VALUE,
            "Check that the pointer is one of this GPU and still allocated",
            OUT_OF_MEMORY,
            "Free GPU memory (nvidia-smi shows who holds it), or lower 'fabric.memory.gpu.max-size'",
            3,
            "The driver was not initialised, or is being unloaded",
            NO_DEVICE,
            "Check nvidia-smi and CUDA_VISIBLE_DEVICES",
            101,
            "Check the number of the GPU against CUDA_VISIBLE_DEVICES",
            201,
            "The context was destroyed: do not reset the device while the fabric uses it",
            700,
            "A kernel of this process corrupted its context; the process must be restarted",
            NOT_SUPPORTED,
            "This GPU or driver cannot do it",
            804,
            "The driver is older than the CUDA compatibility package: update one of them",
            999,
            "See the kernel's log (dmesg) for messages of NVRM");

    /** What to do about it, a sentence without its full stop. */
    public String remedy() {
        return REMEDIES.getOrDefault(code, "See the CUDA driver API's list of errors");
    }
}

package io.tensorfabric.memory.cuda;

import java.util.List;
import jcuda.driver.CUdeviceptr;

/** What tests in other packages need of this one. */
public final class StubPlatform {

    private StubPlatform() {}

    /** The GPUs that the driver shows now. */
    public static CudaPlatform detect() {
        return CudaPlatform.detectAnew();
    }

    /** Where what other processes may open of a GPU lies. */
    public static List<Long> exported(GpuMemory memory) {
        return memory.exported();
    }

    /** The address of a pointer of JCuda. */
    public static long address(CUdeviceptr pointer) {
        return RawPointer.address(pointer);
    }

    /** A pointer of JCuda. */
    public static CUdeviceptr pointer(long address) {
        return RawPointer.to(address);
    }
}

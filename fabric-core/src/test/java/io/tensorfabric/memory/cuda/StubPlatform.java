package io.tensorfabric.memory.cuda;

import jcuda.driver.CUdeviceptr;

/** What tests in other packages need of this one. */
public final class StubPlatform {

    private StubPlatform() {}

    /** The GPUs that the driver shows now. */
    public static CudaPlatform detect() {
        return CudaPlatform.detectAnew();
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

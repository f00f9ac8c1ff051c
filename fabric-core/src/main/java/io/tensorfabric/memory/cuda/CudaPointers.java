package io.tensorfabric.memory.cuda;

import jcuda.driver.CUdeviceptr;

/** Device pointers of JCuda and their addresses. */
public final class CudaPointers {

    private CudaPointers() {}

    /** The address that a pointer names, byte offset included. */
    public static long address(CUdeviceptr pointer) {
        return RawPointer.address(pointer);
    }

    /** A pointer to an address, for calls of JCuda. */
    public static CUdeviceptr pointer(long address) {
        return RawPointer.to(address);
    }
}

package io.tensorfabric.memory.cuda;

import jcuda.driver.CUdeviceptr;

/** A pointer of JCuda with an address that can be given and read: of a device, or of the host. */
final class RawPointer extends CUdeviceptr {

    private RawPointer(CUdeviceptr base, long offset) {
        super(base, offset);
    }

    /** A pointer to an address. */
    static RawPointer to(long address) {
        return new RawPointer(new CUdeviceptr(), address);
    }

    /** The address that a pointer names. */
    static long address(CUdeviceptr pointer) {
        return new RawPointer(pointer, 0).address();
    }

    private long address() {
        return getNativePointer() + getByteOffset();
    }
}

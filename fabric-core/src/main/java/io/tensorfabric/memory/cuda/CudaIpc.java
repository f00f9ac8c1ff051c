package io.tensorfabric.memory.cuda;

import java.lang.reflect.Field;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUipcMemHandle;
import jcuda.driver.JCudaDriver;

/**
 * Handles of device memory for other processes of the host. A handle is a capability over the whole allocation: whoever has
 * it may read and write all of it. The context is current for the caller.
 */
final class CudaIpc {

    /** Bytes of a handle. */
    static final int HANDLE_BYTES = 64;

    /** CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS: also from another GPU than the one that the memory is of. */
    private static final int LAZY_PEER_ACCESS = 1;

    private CudaIpc() {}

    /** JCuda shows a handle's bytes to nobody, though they must travel. */
    private static byte[] bytesOf(CUipcMemHandle handle) {
        try {
            Field field = CUipcMemHandle.class.getDeclaredField("reserved");
            field.setAccessible(true);
            if (field.get(handle) instanceof byte[] bytes && bytes.length == HANDLE_BYTES) {
                return bytes;
            }
            throw new GpuUnavailableException("JCuda's handles for CUDA IPC are not those of version 12.6");
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new GpuUnavailableException("JCuda's handles for CUDA IPC cannot be read: " + e);
        }
    }

    /**
     * The handle of an allocation, by its first byte.
     *
     * @throws CudaDriverException if the driver gives none
     */
    static byte[] export(long address, int ordinal) {
        CUipcMemHandle handle = new CUipcMemHandle();
        CudaDriver.check(
                "cuIpcGetMemHandle",
                "an allocation of cuda:" + ordinal,
                () -> JCudaDriver.cuIpcGetMemHandle(handle, RawPointer.to(address)));
        return bytesOf(handle).clone();
    }

    /**
     * Opens the memory of another process.
     *
     * @throws CudaDriverException if the driver does not open it
     */
    static long open(byte[] handle, int ordinal) {
        CUipcMemHandle copy = new CUipcMemHandle();
        System.arraycopy(handle, 0, bytesOf(copy), 0, HANDLE_BYTES);
        CUdeviceptr pointer = new CUdeviceptr();
        CudaDriver.check(
                "cuIpcOpenMemHandle",
                "memory of another process, for cuda:" + ordinal,
                () -> JCudaDriver.cuIpcOpenMemHandle(pointer, copy, LAZY_PEER_ACCESS));
        return RawPointer.address(pointer);
    }

    static void close(long address, int ordinal) {
        CudaDriver.check(
                "cuIpcCloseMemHandle",
                "memory of another process, for cuda:" + ordinal,
                () -> JCudaDriver.cuIpcCloseMemHandle(RawPointer.to(address)));
    }
}

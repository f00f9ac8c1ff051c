package io.tensorfabric.memory.cuda;

import jcuda.CudaException;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/**
 * Calls of the driver with their results checked. Works with JCuda's exceptions on or off, which is the application's
 * choice and process-wide. The class must not be loaded where {@link JCudaLibrary#failure()} tells of one. Thread-safe.
 */
final class CudaDriver {

    private CudaDriver() {}

    /** A call of JCuda that returns the driver's code. */
    @FunctionalInterface
    interface Call {
        int run();
    }

    /** The code of a call, whether JCuda throws or returns it. */
    static int code(Call call) {
        try {
            return call.run();
        } catch (CudaException e) {
            return codeOf(e);
        }
    }

    private static int codeOf(CudaException failure) {
        String name = String.valueOf(failure.getMessage());
        for (int code = 0; code < 1000; code++) {
            if (name.equals(CUresult.stringFor(code))) {
                return code;
            }
        }
        throw failure;
    }

    /** Throws if a call fails. */
    static void check(String name, String detail, Call call) {
        int code = code(call);
        if (code != CudaError.SUCCESS) {
            throw failure(name, code, detail);
        }
    }

    static CudaDriverException failure(String name, int code, String detail) {
        return new CudaDriverException(name, new CudaError(code, CUresult.stringFor(code)), detail);
    }

    static CUdevice device(int ordinal) {
        CUdevice device = new CUdevice();
        check("cuDeviceGet", "GPU " + ordinal, () -> JCudaDriver.cuDeviceGet(device, ordinal));
        return device;
    }

    static int attribute(CUdevice device, int attribute, int ordinal) {
        int[] value = new int[1];
        check(
                "cuDeviceGetAttribute",
                "attribute " + attribute + " of GPU " + ordinal,
                () -> JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
        return value[0];
    }

    /** The same, 0 where a driver does not know the attribute. */
    static int optionalAttribute(CUdevice device, int attribute) {
        int[] value = new int[1];
        return code(() -> JCudaDriver.cuDeviceGetAttribute(value, attribute, device)) == CudaError.SUCCESS
                ? value[0]
                : 0;
    }

    static CUcontext retainPrimary(CUdevice device, int ordinal) {
        CUcontext context = new CUcontext();
        check(
                "cuDevicePrimaryCtxRetain",
                "GPU " + ordinal,
                () -> JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
        return context;
    }

    static long allocate(long bytes, int ordinal) {
        CUdeviceptr pointer = new CUdeviceptr();
        check("cuMemAlloc", bytes + " bytes of GPU " + ordinal, () -> JCudaDriver.cuMemAlloc(pointer, bytes));
        return RawPointer.address(pointer);
    }

    static void free(long address, int ordinal) {
        check("cuMemFree", "memory of GPU " + ordinal, () -> JCudaDriver.cuMemFree(RawPointer.to(address)));
    }

    /** An attribute of a pointer that has at most eight bytes; an int stands in its lower half. */
    static long pointerAttribute(int attribute, long address, String detail) {
        PointerValue value = PointerValue.ofThread();
        check(
                "cuPointerGetAttribute",
                detail,
                () -> JCudaDriver.cuPointerGetAttribute(value.with(0), attribute, RawPointer.to(address)));
        return value.get();
    }

    /** The same, 0 where the driver has no answer. */
    static long optionalPointerAttribute(int attribute, long address) {
        PointerValue value = PointerValue.ofThread();
        int code = code(() -> JCudaDriver.cuPointerGetAttribute(value.with(0), attribute, RawPointer.to(address)));
        return code == CudaError.SUCCESS ? value.get() : 0;
    }

    static int setSyncMemops(long address) {
        PointerValue value = PointerValue.ofThread();
        return code(() -> JCudaDriver.cuPointerSetAttribute(
                value.with(1),
                jcuda.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                RawPointer.to(address)));
    }
}

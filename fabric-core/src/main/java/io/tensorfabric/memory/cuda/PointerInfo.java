package io.tensorfabric.memory.cuda;

import jcuda.driver.CUpointer_attribute;
import org.jspecify.annotations.Nullable;

/**
 * What the driver knows of a device pointer.
 *
 * @param bufferId number of the allocation, never used again in this process
 * @param start first byte of the allocation
 * @param size bytes of the allocation
 * @param idAttribute where its number comes from
 */
record PointerInfo(long bufferId, long start, long size, int idAttribute) {

    private static final int DEVICE_MEMORY = 2;

    /**
     * Asks the driver.
     *
     * @throws IllegalArgumentException if the address is not memory of this GPU
     */
    static PointerInfo of(long address, int ordinal) {
        String detail = "a pointer of cuda:" + ordinal;
        int type;
        try {
            type = (int)
                    CudaDriver.pointerAttribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address, detail);
        } catch (CudaDriverException e) {
            throw new IllegalArgumentException(
                    "The tensor's pointer is not memory of a GPU, or was freed: " + e.getMessage(), e);
        }
        if (type != DEVICE_MEMORY) {
            throw new IllegalArgumentException(
                    "The tensor's pointer is host memory that CUDA knows, not memory of cuda:" + ordinal
                            + "; push it as a host tensor");
        }
        int owner = (int)
                CudaDriver.pointerAttribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address, detail);
        if (owner != ordinal) {
            throw new IllegalArgumentException(
                    "The tensor's pointer is memory of cuda:" + owner + ", not of cuda:" + ordinal);
        }
        PointerInfo segment = segment(address);
        if (segment != null) {
            return segment;
        }
        return new PointerInfo(
                CudaDriver.pointerAttribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_BUFFER_ID, address, detail),
                CudaDriver.pointerAttribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address, detail),
                CudaDriver.pointerAttribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE, address, detail),
                CUpointer_attribute.CU_POINTER_ATTRIBUTE_BUFFER_ID);
    }

    /** A mapped segment of the virtual memory management, which is registered by itself; null for ordinary memory. */
    private static @Nullable PointerInfo segment(long address) {
        long legacy = CudaDriver.optionalPointerAttribute(
                CUpointer_attribute.CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, address);
        long start = CudaDriver.optionalPointerAttribute(
                CUpointer_attribute.CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, address);
        long size = CudaDriver.optionalPointerAttribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_MAPPING_SIZE, address);
        long block =
                CudaDriver.optionalPointerAttribute(CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, address);
        boolean mapped = legacy == 0 && start != 0 && address >= start && address - start < size && block != 0;
        // Numbers of blocks and of buffers are counted apart: the sign keeps them apart.
        return mapped
                ? new PointerInfo(-block, start, size, CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID)
                : null;
    }

    /** Whether the allocation still exists. */
    boolean isCurrent() {
        long now = CudaDriver.optionalPointerAttribute(idAttribute, start);
        return now == Math.abs(bufferId);
    }
}

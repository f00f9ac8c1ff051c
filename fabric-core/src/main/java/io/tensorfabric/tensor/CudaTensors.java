package io.tensorfabric.tensor;

import io.tensorfabric.memory.cuda.CudaPointers;
import jcuda.driver.CUdeviceptr;

/** Tensors over device pointers of JCuda. Apart from {@link Tensor}, which works where JCuda is absent. */
public final class CudaTensors {

    private CudaTensors() {}

    /**
     * A tensor over memory of a GPU that the caller keeps allocated until the tensor is closed and all pushes of it have
     * ended.
     *
     * @param pointer first byte, with its byte offset; any alignment
     * @param device number of the GPU among the visible ones
     */
    public static Tensor of(String name, DataType dataType, Shape shape, CUdeviceptr pointer, int device) {
        return Tensor.ofCuda(name, dataType, shape, CudaPointers.address(pointer), device);
    }
}

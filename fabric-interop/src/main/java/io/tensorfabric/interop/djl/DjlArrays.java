package io.tensorfabric.interop.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.Map;

/**
 * Tensors as arrays of the Deep Java Library and the other way round. Needs {@code ai.djl:api} and an engine on the class
 * path. Whether an array lies over the given memory or has a copy is the engine's choice: those for ONNX Runtime and PyTorch
 * take direct buffers as they are. Host memory up to 2 GiB. Thread-safe as the manager is.
 */
public final class DjlArrays {

    private static final Map<DataType, ai.djl.ndarray.types.DataType> TYPES = new EnumMap<>(Map.ofEntries(
            Map.entry(DataType.F32, ai.djl.ndarray.types.DataType.FLOAT32),
            Map.entry(DataType.F64, ai.djl.ndarray.types.DataType.FLOAT64),
            Map.entry(DataType.F16, ai.djl.ndarray.types.DataType.FLOAT16),
            Map.entry(DataType.BF16, ai.djl.ndarray.types.DataType.BFLOAT16),
            Map.entry(DataType.I8, ai.djl.ndarray.types.DataType.INT8),
            Map.entry(DataType.I16, ai.djl.ndarray.types.DataType.INT16),
            Map.entry(DataType.I32, ai.djl.ndarray.types.DataType.INT32),
            Map.entry(DataType.I64, ai.djl.ndarray.types.DataType.INT64),
            Map.entry(DataType.U8, ai.djl.ndarray.types.DataType.UINT8),
            Map.entry(DataType.U16, ai.djl.ndarray.types.DataType.UINT16),
            Map.entry(DataType.U32, ai.djl.ndarray.types.DataType.UINT32),
            Map.entry(DataType.U64, ai.djl.ndarray.types.DataType.UINT64),
            Map.entry(DataType.C64, ai.djl.ndarray.types.DataType.COMPLEX64),
            Map.entry(DataType.BOOL, ai.djl.ndarray.types.DataType.BOOLEAN)));

    private DjlArrays() {}

    /**
     * A view of a tensor for DJL.
     *
     * @param manager of an engine that has the type
     * @return holds the tensor until it is closed
     * @throws IllegalArgumentException if DJL has no such type
     * @throws IllegalStateException if the tensor is closed, larger than 2 GiB or lies in memory of a GPU
     */
    public static DjlView view(NDManager manager, Tensor tensor) {
        ai.djl.ndarray.types.DataType type = TYPES.get(tensor.dataType());
        if (type == null) {
            throw new IllegalArgumentException("DJL has no type for " + tensor.dataType() + " of tensor '"
                    + tensor.name() + "'; it has those for " + TYPES.keySet());
        }
        ByteBuffer bytes = tensor.asByteBuffer();
        tensor.hold();
        try {
            return new DjlView(
                    tensor,
                    manager.create(
                            bytes, new ai.djl.ndarray.types.Shape(tensor.shape().dims()), type));
        } catch (RuntimeException | Error e) {
            tensor.release();
            throw e;
        }
    }

    /**
     * A tensor with a copy of an array, which it owns: an engine's memory goes with its manager.
     *
     * @param name of the tensor
     * @throws IllegalArgumentException if tensors have no such type
     */
    public static Tensor copyOf(String name, NDArray array) {
        DataType type = TYPES.entrySet().stream()
                .filter(entry -> entry.getValue() == array.getDataType())
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("There is no tensor type for DJL's " + array.getDataType()));
        ByteBuffer bytes = array.toByteBuffer(true).order(ByteOrder.nativeOrder());
        return Tensor.copyOf(name, type, Shape.of(array.getShape().getShape()), bytes);
    }
}

package io.tensorfabric.interop.onnx;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.TensorInfo;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Tensors as ONNX Runtime's and the other way round. Needs {@code com.microsoft.onnxruntime:onnxruntime} on the class path.
 * Host memory up to 2 GiB, which is what ONNX Runtime's Java interface takes. Thread-safe.
 */
public final class OnnxTensors {

    private static final Map<DataType, OnnxJavaType> TYPES = new EnumMap<>(Map.of(
            DataType.F32, OnnxJavaType.FLOAT,
            DataType.F64, OnnxJavaType.DOUBLE,
            DataType.F16, OnnxJavaType.FLOAT16,
            DataType.BF16, OnnxJavaType.BFLOAT16,
            DataType.I8, OnnxJavaType.INT8,
            DataType.I16, OnnxJavaType.INT16,
            DataType.I32, OnnxJavaType.INT32,
            DataType.I64, OnnxJavaType.INT64,
            DataType.U8, OnnxJavaType.UINT8,
            DataType.BOOL, OnnxJavaType.BOOL));

    private OnnxTensors() {}

    /**
     * A view of a tensor for ONNX Runtime, over the same memory: as an input of a session, or as a pinned output that the
     * session writes into.
     *
     * @return holds the tensor until it is closed
     * @throws IllegalArgumentException if ONNX Runtime's Java interface has no such type
     * @throws IllegalStateException if the tensor is closed, larger than 2 GiB or lies in memory of a GPU
     * @throws OrtException if ONNX Runtime refuses
     */
    public static OnnxView view(OrtEnvironment environment, Tensor tensor) throws OrtException {
        OnnxJavaType type = TYPES.get(tensor.dataType());
        if (type == null) {
            throw new IllegalArgumentException("ONNX Runtime's Java interface has no type for " + tensor.dataType()
                    + " of tensor '" + tensor.name() + "'; it has those for " + TYPES.keySet());
        }
        ByteBuffer bytes = tensor.asByteBuffer();
        tensor.hold();
        try {
            return new OnnxView(
                    tensor,
                    OnnxTensor.createTensor(environment, bytes, tensor.shape().dims(), type));
        } catch (OrtException | RuntimeException | Error e) {
            tensor.release();
            throw e;
        }
    }

    /**
     * A tensor with what ONNX Runtime has: over the same memory if that is a direct {@link ByteBuffer}, as of a
     * {@link OnnxView}, else a copy, as of a session's own results.
     *
     * @param name of the tensor
     * @param value stays open for as long as the tensor, and is closed by the caller
     * @throws IllegalArgumentException if tensors have no such type
     */
    public static Tensor tensor(String name, OnnxTensor value) {
        DataType type = type(value.getInfo());
        Shape shape = Shape.of(value.getInfo().getShape());
        Optional<ByteBuffer> own = directBytes(value);
        if (own.isPresent() && own.get().remaining() == type.byteLength(shape.elementCount())) {
            return Tensor.wrap(name, type, shape, own.get());
        }
        return Tensor.copyOf(name, type, shape, value.getByteBuffer().order(ByteOrder.nativeOrder()));
    }

    private static Optional<ByteBuffer> directBytes(OnnxTensor value) {
        Optional<Buffer> buffer;
        try {
            buffer = value.getBufferRef();
        } catch (NullPointerException e) {
            // ONNX Runtime 1.22 fails like this, instead of answering, for a session's own results, which have none.
            return Optional.empty();
        }
        return buffer.filter(Buffer::isDirect)
                .filter(ByteBuffer.class::isInstance)
                .map(ByteBuffer.class::cast);
    }

    private static DataType type(TensorInfo info) {
        return TYPES.entrySet().stream()
                .filter(entry -> entry.getValue() == info.type)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "There is no tensor type for ONNX Runtime's " + info.onnxType + " (" + info.type + ")"));
    }
}

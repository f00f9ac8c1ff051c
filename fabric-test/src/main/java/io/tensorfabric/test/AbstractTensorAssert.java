package io.tensorfabric.test;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import java.nio.ByteBuffer;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about what a tensor is and holds. Those about its content need host memory of at most 2 GiB.
 *
 * @param <S> the assertion itself
 * @param <A> what it is about
 */
public abstract sealed class AbstractTensorAssert<S extends AbstractTensorAssert<S, A>, A> extends AbstractAssert<S, A>
        permits TensorAssert, CapturedTensorAssert {

    private final Tensor tensor;

    AbstractTensorAssert(A actual, Class<?> type, Tensor tensor) {
        super(actual, type);
        this.tensor = tensor;
    }

    /** It has this name. */
    public S hasName(String name) {
        return require(tensor.name().equals(name), "name", name, tensor.name());
    }

    /** Its elements are of this type. */
    public S hasDataType(DataType type) {
        return require(tensor.dataType() == type, "data type", type, tensor.dataType());
    }

    /** It has these extents, outermost first. */
    public S hasShape(long... extents) {
        return require(tensor.shape().equals(Shape.of(extents)), "shape", Shape.of(extents), tensor.shape());
    }

    /** It has so many bytes. */
    public S hasByteLength(long bytes) {
        return require(tensor.byteLength() == bytes, "byte length", bytes, tensor.byteLength());
    }

    /** It holds these bytes. */
    public S hasBytes(byte... bytes) {
        return sameBytes(ByteBuffer.wrap(bytes));
    }

    /** It has type, shape and bytes of another one; the name may differ. */
    public S hasSameContentAs(Tensor other) {
        hasDataType(other.dataType());
        require(tensor.shape().equals(other.shape()), "shape", other.shape(), tensor.shape());
        return sameBytes(other.asByteBuffer());
    }

    /** Its elements are of type F32 and have these values exactly, row by row. */
    public S hasFloats(float... values) {
        hasDataType(DataType.F32);
        ByteBuffer bytes = tensor.asByteBuffer();
        require(
                bytes.remaining() / Float.BYTES == values.length,
                "number of elements",
                values.length,
                bytes.remaining() / Float.BYTES);
        for (int i = 0; i < values.length; i++) {
            float present = bytes.getFloat();
            if (Float.compare(present, values[i]) != 0) {
                failWithMessage(
                        "Expected element %d of tensor '%s' to be %s, but it is %s",
                        i, tensor.name(), values[i], present);
            }
        }
        return myself;
    }

    private S sameBytes(ByteBuffer expected) {
        ByteBuffer present = tensor.asByteBuffer();
        require(present.remaining() == expected.remaining(), "byte length", expected.remaining(), present.remaining());
        int difference = present.mismatch(expected);
        if (difference >= 0) {
            failWithMessage(
                    "Expected byte %d of tensor '%s' to be %d, but it is %d",
                    difference, tensor.name(), expected.get(expected.position() + difference), present.get(difference));
        }
        return myself;
    }

    private S require(boolean fits, String what, Object expected, Object present) {
        if (!fits) {
            failWithMessage(
                    "Expected tensor '%s' to have the %s %s, but it has %s", tensor.name(), what, expected, present);
        }
        return myself;
    }
}

package io.tensorfabric.tensor;

import io.tensorfabric.offheap.OffHeap;
import java.nio.ByteBuffer;

/**
 * Converts between {@code float} and the 16- and 8-bit floats of tensors: F16, BF16, F8_E4M3, F8_E5M2, F8_E4M3FNUZ and
 * F8_E5M2FNUZ. To {@code float} is exact. From {@code float} rounds to the nearest number, ties to the even one; what is
 * larger than the largest becomes infinity in F16, BF16 and F8_E5M2, and NaN in the others, which have no infinity.
 *
 * <p>F8_E8M0, the scale of microscaling formats, is converted too. It has powers of two alone, without sign and zero: a tie
 * goes to the larger one, zero to the smallest (2<sup>-127</sup>), and what is negative or infinite becomes NaN.
 */
public final class Floats {

    private Floats() {}

    /**
     * The number that bits stand for.
     *
     * @param type one of the types above
     * @param bits the low 16 or 8 bits
     * @throws IllegalArgumentException if the type is another one
     */
    public static float toFloat(DataType type, int bits) {
        return format(type).toFloat(bits);
    }

    /**
     * The bits of the nearest number, in the low 16 or 8 bits.
     *
     * @param type one of the types above
     * @throws IllegalArgumentException if the type is another one
     */
    public static int fromFloat(DataType type, float value) {
        return format(type).fromFloat(value);
    }

    /**
     * All elements of a tensor in host memory, of a type above or F32, row by row.
     *
     * @throws IllegalArgumentException if the type is another one
     * @throws IllegalStateException if the tensor is closed, lies in memory of a GPU or is larger than 2 GiB
     */
    public static float[] toFloats(Tensor tensor) {
        ByteBuffer bytes = tensor.asByteBuffer();
        float[] values = new float[Math.toIntExact(tensor.shape().elementCount())];
        if (tensor.dataType() == DataType.F32) {
            bytes.asFloatBuffer().get(values);
            return values;
        }
        FloatFormat format = format(tensor.dataType());
        boolean wide = tensor.dataType().bits() == Short.SIZE;
        for (int i = 0; i < values.length; i++) {
            values[i] = format.toFloat(wide ? bytes.getShort() : bytes.get());
        }
        return values;
    }

    /**
     * A tensor in host memory, which it owns, of values converted to a type above or F32.
     *
     * @param values as many as the shape has elements, row by row
     * @throws IllegalArgumentException if the type is another one, or the number of values does not fit
     */
    public static Tensor tensor(String name, DataType type, Shape shape, float... values) {
        if (shape.elementCount() != values.length) {
            throw new IllegalArgumentException("Tensor '" + name + "' of shape " + shape + " needs "
                    + shape.elementCount() + " values, but " + values.length + " were given");
        }
        FloatFormat format = type == DataType.F32 ? null : format(type);
        Tensor tensor = Tensor.allocate(new TensorDescriptor(name, type, shape));
        ByteBuffer bytes = OffHeap.asByteBuffer(tensor.address(), Math.toIntExact(tensor.byteLength()));
        if (format == null) {
            bytes.asFloatBuffer().put(values);
        } else if (type.bits() == Short.SIZE) {
            for (float value : values) {
                bytes.putShort((short) format.fromFloat(value));
            }
        } else {
            for (float value : values) {
                bytes.put((byte) format.fromFloat(value));
            }
        }
        return tensor;
    }

    private static FloatFormat format(DataType type) {
        return switch (type) {
            case F16 -> FloatFormat.F16;
            case BF16 -> FloatFormat.BF16;
            case F8_E4M3 -> FloatFormat.F8_E4M3;
            case F8_E5M2 -> FloatFormat.F8_E5M2;
            case F8_E4M3FNUZ -> FloatFormat.F8_E4M3FNUZ;
            case F8_E5M2FNUZ -> FloatFormat.F8_E5M2FNUZ;
            case F8_E8M0 -> FloatFormat.F8_E8M0;
            default -> throw new IllegalArgumentException("There is no conversion between float and " + type);
        };
    }
}

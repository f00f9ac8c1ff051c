package io.tensorfabric.tensor;

import java.util.Arrays;

/**
 * The extents of a tensor, outermost first, in elements. Rank 0 is a single element; an extent of 0 makes the tensor
 * empty. Immutable.
 */
public final class Shape {

    /** The most dimensions a tensor may have. */
    public static final int MAX_RANK = 32;

    private static final Shape SCALAR = new Shape(new long[0]);

    private final long[] dims;
    private final long elementCount;

    private Shape(long[] dims) {
        this.dims = dims;
        this.elementCount = count(dims);
    }

    /**
     * A shape of the given extents.
     *
     * @throws IllegalArgumentException if there are more than {@link #MAX_RANK}, if one is negative, or if their product,
     *     multiplied from the outermost in, overflows a {@code long}
     */
    public static Shape of(long... dims) {
        return dims.length == 0 ? SCALAR : new Shape(dims.clone());
    }

    /** The shape of a single value, rank 0. */
    public static Shape scalar() {
        return SCALAR;
    }

    private static long count(long[] dims) {
        if (dims.length > MAX_RANK) {
            throw new IllegalArgumentException("Rank " + dims.length + " is above the maximum of " + MAX_RANK);
        }
        long count = 1;
        for (long dim : dims) {
            if (dim < 0) {
                throw new IllegalArgumentException("Shape " + Arrays.toString(dims) + " has a negative dimension");
            }
            if (dim != 0 && count > Long.MAX_VALUE / dim) {
                throw new IllegalArgumentException(
                        "Number of elements of shape " + Arrays.toString(dims) + " overflows 64 bits");
            }
            count *= dim;
        }
        return count;
    }

    /** The number of dimensions. */
    public int rank() {
        return dims.length;
    }

    /**
     * The extent of one dimension.
     *
     * @throws IndexOutOfBoundsException if there is no such dimension
     */
    public long dim(int index) {
        return dims[index];
    }

    /** A copy of all extents. */
    public long[] dims() {
        return dims.clone();
    }

    /** The product of the extents: 1 for rank 0, 0 if any extent is 0. */
    public long elementCount() {
        return elementCount;
    }

    /** Whether there is no element at all. */
    public boolean isEmpty() {
        return elementCount == 0;
    }

    /** The strides, in elements, of a packed row-major (C order) tensor of this shape. */
    public long[] rowMajorStrides() {
        long[] strides = new long[dims.length];
        long stride = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            strides[i] = stride;
            stride *= isEmpty() ? 1 : dims[i];
        }
        return strides;
    }

    /**
     * Whether strides, in elements, describe packed row-major memory. Strides that carry no meaning, those of extents
     * of 1 and of empty tensors, may hold any number.
     *
     * @throws IllegalArgumentException if there are not as many strides as dimensions
     */
    public boolean isRowMajor(long[] strides) {
        if (strides.length != dims.length) {
            throw new IllegalArgumentException(
                    strides.length + " strides were given for the " + dims.length + " dimensions of shape " + this);
        }
        if (isEmpty()) {
            return true;
        }
        long expected = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            if (dims[i] != 1 && strides[i] != expected) {
                return false;
            }
            expected *= dims[i];
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shape shape && Arrays.equals(dims, shape.dims);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(dims);
    }

    /** The extents in brackets, such as {@code [1, 8]}; {@code []} for rank 0. */
    @Override
    public String toString() {
        return Arrays.toString(dims);
    }
}

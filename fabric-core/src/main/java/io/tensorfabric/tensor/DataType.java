package io.tensorfabric.tensor;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The element types of safetensors 0.6, under their names in that format (enum {@code Dtype} of its Rust source).
 *
 * <p>They are declared in the order of that enum: a safetensors file holds its tensors in the reverse of it, so the
 * order is part of the file format. {@link #code()} is what travels between nodes; codes are given once and never
 * renumbered, a new type gets the next free one.
 */
public enum DataType {
    /** Truth value, one byte each. */
    BOOL(1, 8),
    /** 4-bit float, two to a byte (OCP microscaling E2M1). */
    F4(2, 4),
    /** 6-bit float, 2 exponent and 3 mantissa bits, four to three bytes. */
    F6_E2M3(3, 6),
    /** 6-bit float, 3 exponent and 2 mantissa bits, four to three bytes. */
    F6_E3M2(4, 6),
    /** Unsigned byte. */
    U8(5, 8),
    /** Signed byte. */
    I8(6, 8),
    /** 8-bit float, 5 exponent and 2 mantissa bits. */
    F8_E5M2(7, 8),
    /** 8-bit float, 4 exponent and 3 mantissa bits. */
    F8_E4M3(8, 8),
    /** 8-bit exponent, the scale of microscaling formats. */
    F8_E8M0(9, 8),
    /** 8-bit float, 4 exponent and 3 mantissa bits, finite, without negative zero. */
    F8_E4M3FNUZ(10, 8),
    /** 8-bit float, 5 exponent and 2 mantissa bits, finite, without negative zero. */
    F8_E5M2FNUZ(11, 8),
    /** Signed 16-bit integer. */
    I16(12, 16),
    /** Unsigned 16-bit integer. */
    U16(13, 16),
    /** IEEE 754 half precision. */
    F16(14, 16),
    /** Brain float: the upper half of an {@link #F32}. */
    BF16(15, 16),
    /** Signed 32-bit integer. */
    I32(16, 32),
    /** Unsigned 32-bit integer. */
    U32(17, 32),
    /** IEEE 754 single precision. */
    F32(18, 32),
    /** Complex number of two {@link #F32}. */
    C64(19, 64),
    /** IEEE 754 double precision. */
    F64(20, 64),
    /** Signed 64-bit integer. */
    I64(21, 64),
    /** Unsigned 64-bit integer. */
    U64(22, 64);

    private static final Map<String, DataType> BY_NAME =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(DataType::name, Function.identity()));
    private static final Map<Integer, DataType> BY_CODE =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(DataType::code, Function.identity()));

    private final int code;
    private final int bits;

    DataType(int code, int bits) {
        this.code = code;
        this.bits = bits;
    }

    /** The number that stands for this type on the wire: 1 to 255, never renumbered; 0 is no type. */
    public int code() {
        return code;
    }

    /** The width of one element in bits; not always a multiple of 8. */
    public int bits() {
        return bits;
    }

    /**
     * How many bytes a number of packed elements occupies.
     *
     * @throws IllegalArgumentException if the count is negative, if its bits do not fit a {@code long}, or if they do not
     *     fill whole bytes
     */
    public long byteLength(long elements) {
        if (elements < 0) {
            throw new IllegalArgumentException("Number of elements is negative: " + elements);
        }
        if (elements > Long.MAX_VALUE / bits) {
            throw new IllegalArgumentException(elements + " elements of " + this + " overflow a 64-bit size");
        }
        long total = elements * bits;
        if (total % Byte.SIZE != 0) {
            throw new IllegalArgumentException(
                    elements + " elements of " + this + " are " + total + " bits, which do not fill whole bytes");
        }
        return total / Byte.SIZE;
    }

    /**
     * The type of a wire code.
     *
     * @throws IllegalArgumentException if no type has that code
     */
    public static DataType fromCode(int code) {
        DataType type = BY_CODE.get(code);
        if (type == null) {
            throw new IllegalArgumentException(
                    "Unknown data type code " + code + "; the peer may be newer than this node");
        }
        return type;
    }

    /** The type of a safetensors name; case matters. */
    public static Optional<DataType> fromName(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }
}

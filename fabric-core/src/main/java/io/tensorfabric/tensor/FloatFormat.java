package io.tensorfabric.tensor;

/**
 * How a 16- or 8-bit float stands for a number, and the conversion from and to {@code float}. Conversions to {@code float}
 * are exact; those from {@code float} round to the nearest value, ties to the even one. Beyond the largest value comes
 * infinity, or NaN in formats that have none. {@link #F8_E8M0} differs: see there.
 */
enum FloatFormat {
    F16(5, 10, 15, Specials.IEEE),
    BF16(8, 7, 127, Specials.IEEE),
    F8_E5M2(5, 2, 15, Specials.IEEE),
    F8_E4M3(4, 3, 7, Specials.ONE_NAN),
    F8_E4M3FNUZ(4, 3, 8, Specials.NEGATIVE_ZERO_IS_NAN),
    F8_E5M2FNUZ(5, 2, 16, Specials.NEGATIVE_ZERO_IS_NAN),
    /** Powers of two, from 2^-127 on, without sign and zero. */
    F8_E8M0(8, 0, 127, Specials.ONE_NAN) {
        private static final int NAN = 0xff;

        @Override
        float toFloat(int bits) {
            int exponent = bits & NAN;
            return exponent == NAN ? Float.NaN : Math.scalb(1f, exponent - Float.MAX_EXPONENT);
        }

        @Override
        int fromFloat(float value) {
            if (Float.isNaN(value) || value < 0) {
                return NAN;
            }
            // From 1.5 times a power on the next one is the nearest; what is too large has NaN's bits.
            double rounded = value * 4.0 / 3;
            int exponent = Math.getExponent(rounded) + Float.MAX_EXPONENT;
            return Math.min(NAN, Math.max(0, exponent));
        }
    };

    /** Which bits are no numbers. */
    private enum Specials {
        /** The highest exponent stands for infinity and NaN. */
        IEEE,
        /** Only all bits but the sign set are NaN; there is no infinity. */
        ONE_NAN,
        /** What would be negative zero is NaN; there is no infinity. */
        NEGATIVE_ZERO_IS_NAN
    }

    private final int mantissaBits;
    private final int bias;
    private final Specials specials;
    private final int signBit;
    private final int maxExponent;
    private final int mantissaMask;

    FloatFormat(int exponentBits, int mantissaBits, int bias, Specials specials) {
        this.mantissaBits = mantissaBits;
        this.bias = bias;
        this.specials = specials;
        this.signBit = 1 << (exponentBits + mantissaBits);
        this.maxExponent = (1 << exponentBits) - 1;
        this.mantissaMask = (1 << mantissaBits) - 1;
    }

    /** The number of the low bits of an {@code int}. */
    float toFloat(int bits) {
        boolean negative = (bits & signBit) != 0;
        int magnitude = bits & signBit - 1;
        int exponent = magnitude >> mantissaBits;
        int mantissa = magnitude & mantissaMask;
        if (isNan(negative, magnitude, exponent, mantissa)) {
            return Float.NaN;
        }
        float value;
        if (specials == Specials.IEEE && exponent == maxExponent) {
            value = Float.POSITIVE_INFINITY;
        } else if (exponent == 0) {
            value = Math.scalb((float) mantissa, 1 - bias - mantissaBits);
        } else {
            value = Math.scalb((float) (mantissa + mantissaMask + 1), exponent - bias - mantissaBits);
        }
        return negative ? -value : value;
    }

    private boolean isNan(boolean negative, int magnitude, int exponent, int mantissa) {
        return switch (specials) {
            case IEEE -> exponent == maxExponent && mantissa != 0;
            case ONE_NAN -> magnitude == signBit - 1;
            case NEGATIVE_ZERO_IS_NAN -> negative && magnitude == 0;
        };
    }

    /** The bits of the nearest number. */
    int fromFloat(float value) {
        int sign = Float.floatToRawIntBits(value) < 0 ? signBit : 0;
        if (Float.isNaN(value)) {
            return sign | nan();
        }
        if (Float.isInfinite(value)) {
            return overflow(sign);
        }
        double magnitude = Math.abs((double) value);
        int exponent = Math.max(Math.getExponent(magnitude), 1 - bias);
        // Exact: both are powers of two apart.
        long units = (long) Math.rint(Math.scalb(magnitude, mantissaBits - exponent));
        // With the hidden bit, a carry runs into the exponent as it should.
        long bits = units <= mantissaMask ? units : ((long) (exponent + bias - 1) << mantissaBits) + units;
        if (bits > largest()) {
            return overflow(sign);
        }
        if (bits == 0 && specials == Specials.NEGATIVE_ZERO_IS_NAN) {
            return 0;
        }
        return sign | (int) bits;
    }

    /** The bits of the largest finite number. */
    private int largest() {
        return switch (specials) {
            case IEEE -> (maxExponent << mantissaBits) - 1;
            case ONE_NAN -> signBit - 2;
            case NEGATIVE_ZERO_IS_NAN -> signBit - 1;
        };
    }

    private int nan() {
        return switch (specials) {
            case IEEE -> (maxExponent << mantissaBits) | (1 << (mantissaBits - 1));
            case ONE_NAN -> signBit - 1;
            case NEGATIVE_ZERO_IS_NAN -> signBit;
        };
    }

    private int overflow(int sign) {
        return sign | (specials == Specials.IEEE ? maxExponent << mantissaBits : nan());
    }
}

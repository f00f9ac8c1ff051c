package io.tensorfabric.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each of the 65536 or 256 bit patterns of each type, and the edges between neighbours. */
class FloatsTest {

    private static final String TYPES = "^(F16|BF16|F8_E4M3|F8_E5M2|F8_E4M3FNUZ|F8_E5M2FNUZ)$";

    /** Bits of numbers from the definitions of the types. */
    @ParameterizedTest
    @CsvSource({
        "F16, 0x0001, 5.9604645e-8",
        "F16, 0x03ff, 6.097555e-5",
        "F16, 0x0400, 6.103515625e-5",
        "F16, 0x3555, 0.333251953125",
        "F16, 0x3c00, 1",
        "F16, 0xc000, -2",
        "F16, 0x7bff, 65504",
        "F16, 0x7c00, Infinity",
        "F16, 0x7e00, NaN",
        "BF16, 0x0001, 9.18355e-41",
        "BF16, 0x3f80, 1",
        "BF16, 0x4049, 3.140625",
        "BF16, 0x7f7f, 3.3895314e38",
        "BF16, 0xff80, -Infinity",
        "F8_E4M3, 0x01, 0.001953125",
        "F8_E4M3, 0x08, 0.015625",
        "F8_E4M3, 0x38, 1",
        "F8_E4M3, 0x7e, 448",
        "F8_E4M3, 0x7f, NaN",
        "F8_E4M3, 0xff, NaN",
        "F8_E5M2, 0x01, 1.52587890625e-5",
        "F8_E5M2, 0x3c, 1",
        "F8_E5M2, 0x7b, 57344",
        "F8_E5M2, 0xfc, -Infinity",
        "F8_E4M3FNUZ, 0x01, 0.0009765625",
        "F8_E4M3FNUZ, 0x40, 1",
        "F8_E4M3FNUZ, 0x7f, 240",
        "F8_E4M3FNUZ, 0x80, NaN",
        "F8_E5M2FNUZ, 0x01, 7.62939453125e-6",
        "F8_E5M2FNUZ, 0x40, 1",
        "F8_E5M2FNUZ, 0x7f, 57344",
        "F8_E5M2FNUZ, 0x80, NaN",
        "F8_E8M0, 0x00, 5.877472e-39",
        "F8_E8M0, 0x01, 1.1754944e-38",
        "F8_E8M0, 0x7f, 1",
        "F8_E8M0, 0x80, 2",
        "F8_E8M0, 0xfe, 1.7014118e38",
        "F8_E8M0, 0xff, NaN",
    })
    void whenBitsAreKnownThenTheyStandForTheirNumber(DataType type, String bits, float value) {
        // Boxed, for NaN.
        assertThat(Floats.toFloat(type, Integer.decode(bits))).isEqualTo(Float.valueOf(value));
    }

    @ParameterizedTest
    @EnumSource(names = TYPES, mode = EnumSource.Mode.MATCH_ANY)
    void whenAnyBitsGoToFloatAndBackThenTheyAreTheSame(DataType type) {
        for (int bits = 0; bits < 1 << type.bits(); bits++) {
            float value = Floats.toFloat(type, bits);
            int back = Floats.fromFloat(type, value);
            if (Float.isNaN(value) ? !Float.isNaN(Floats.toFloat(type, back)) : back != bits) {
                throw new AssertionError(type + " " + Integer.toHexString(bits) + " is " + value + ", and that is "
                        + Integer.toHexString(back));
            }
        }
    }

    /** Non-negative numbers rise with their bits, so neighbours of numbers are neighbours of bits. */
    @ParameterizedTest
    @EnumSource(names = TYPES, mode = EnumSource.Mode.MATCH_ANY)
    void whenANumberLiesBetweenTwoThenItGoesToTheNearestAndInTheMiddleToTheEvenOne(DataType type) {
        int sign = 1 << type.bits() - 1;
        int pairs = 0;
        for (int bits = 0; bits < sign - 1; bits++) {
            double low = Floats.toFloat(type, bits);
            double high = Floats.toFloat(type, bits + 1);
            if (!Double.isFinite(high)) {
                break;
            }
            assertThat(high).isGreaterThan(low);
            float middle = (float) ((low + high) / 2);
            assertThat((double) middle).as("exact in float").isEqualTo((low + high) / 2);
            int even = (bits & 1) == 0 ? bits : bits + 1;
            assertRounds(type, middle, even, sign);
            assertRounds(type, Math.nextDown(middle), bits, sign);
            assertRounds(type, Math.nextUp(middle), bits + 1, sign);
            pairs++;
        }
        assertThat(pairs).isGreaterThan(type.bits() == 8 ? 120 : 31_000);
    }

    private static void assertRounds(DataType type, float value, int expected, int sign) {
        int negative = expected == 0 && type.name().endsWith("FNUZ") ? 0 : sign | expected;
        if (Floats.fromFloat(type, value) != expected || Floats.fromFloat(type, -value) != negative) {
            throw new AssertionError(type + " of " + value + " is " + Integer.toHexString(Floats.fromFloat(type, value))
                    + ", not " + Integer.toHexString(expected) + ", or its negative is wrong");
        }
    }

    /** All of them: each power with the float below and above it, and the same around the middle to the next. */
    @Test
    void whenANumberBecomesAScaleThenItIsTheNearestPowerOfTwoAndInTheMiddleTheLarger() {
        for (int bits = 0; bits < 0xff; bits++) {
            float power = Floats.toFloat(DataType.F8_E8M0, bits);
            assertThat(power).isEqualTo((float) Math.pow(2, bits - 127));
            assertThat(Floats.fromFloat(DataType.F8_E8M0, power)).isEqualTo(bits);
            assertThat(Floats.fromFloat(DataType.F8_E8M0, Math.nextDown(power))).isEqualTo(bits);
            assertThat(Floats.fromFloat(DataType.F8_E8M0, Math.nextUp(power))).isEqualTo(bits);
            float middle = power * 1.5f;
            assertThat(Floats.fromFloat(DataType.F8_E8M0, middle)).isEqualTo(bits + 1);
            assertThat(Floats.fromFloat(DataType.F8_E8M0, Math.nextDown(middle)))
                    .isEqualTo(bits);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NaN, 0xff",
        "Infinity, 0xff",
        "-Infinity, 0xff",
        "-1, 0xff",
        "-1e-45, 0xff",
        "3.4028235e38, 0xff",
        "0, 0",
        "-0.0, 0",
        "1e-45, 0",
    })
    void whenANumberIsNoScaleThenItIsNanOrTheSmallest(float value, String bits) {
        assertThat(Floats.fromFloat(DataType.F8_E8M0, value)).isEqualTo(Integer.decode(bits));
        try (Tensor tensor = Floats.tensor("t", DataType.F8_E8M0, Shape.of(2), value, 4)) {
            assertThat(tensor.asByteBuffer().get(0)).isEqualTo((byte) (int) Integer.decode(bits));
            assertThat(Floats.toFloats(tensor)[1]).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "F16, 65504, 32, 0x7c00",
        "BF16, 3.3895314e38, 6.6461399e35, 0x7f80",
        "F8_E5M2, 57344, 8192, 0x7c",
        "F8_E4M3, 448, 32, 0x7f",
        "F8_E4M3FNUZ, 240, 16, 0x80",
        "F8_E5M2FNUZ, 57344, 8192, 0x80",
    })
    void whenANumberIsTooLargeThenItIsInfinityOrNan(DataType type, float largest, float unit, String beyond) {
        int expected = Integer.decode(beyond);
        // Half a step of the last binade past the largest is where the next number would win.
        float edge = largest + unit / 2;
        int last = Floats.fromFloat(type, largest);
        assertThat(Floats.toFloat(type, last)).isEqualTo(largest);
        assertThat(Floats.fromFloat(type, largest + unit / 4)).isEqualTo(last);
        assertThat(Floats.fromFloat(type, Math.nextUp(edge) + unit)).isEqualTo(expected);
        assertThat(Floats.fromFloat(type, Float.POSITIVE_INFINITY)).isEqualTo(expected);
        int sign = 1 << type.bits() - 1;
        assertThat(Floats.fromFloat(type, Float.NEGATIVE_INFINITY)).isEqualTo(sign | expected);
    }

    /** The runtime has this conversion of its own from Java 20 on. */
    @Test
    void whenTheRuntimeConvertsHalfPrecisionThenItAgrees() throws Exception {
        Method toFloat = Stream.of(Float.class.getMethods())
                .filter(method -> method.getName().equals("float16ToFloat"))
                .findFirst()
                .orElse(null);
        Assumptions.assumeTrue(toFloat != null, "Java 20 or later");
        Method fromFloat = Float.class.getMethod("floatToFloat16", float.class);
        for (int bits = 0; bits < 1 << 16; bits++) {
            assertThat(Floats.toFloat(DataType.F16, bits)).isEqualTo((Float) toFloat.invoke(null, (short) bits));
            float value = Float.intBitsToFloat(bits << 16 | bits * 31 & 0xffff);
            if (!Float.isNaN(value)) {
                assertThat((short) Floats.fromFloat(DataType.F16, value))
                        .isEqualTo((short) fromFloat.invoke(null, value));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {TYPES, "^F32$"},
            mode = EnumSource.Mode.MATCH_ANY)
    void whenATensorIsMadeOfFloatsThenItHoldsThem(DataType type) {
        float[] values = {0, 1, -2, 0.5f, 3, Float.NaN};
        try (Tensor tensor = Floats.tensor("t", type, Shape.of(2, 3), values)) {
            assertThat(tensor.byteLength()).isEqualTo(6L * type.bits() / 8);
            assertThat(Floats.toFloats(tensor)).isEqualTo(values);
        }
        assertThatThrownBy(() -> Floats.tensor("t", type, Shape.of(2), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs 2 values, but 1");
    }

    @Test
    void whenATypeIsNoFloatThenTheErrorNamesIt() {
        assertThatThrownBy(() -> Floats.toFloat(DataType.I16, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("I16");
        assertThatThrownBy(() -> Floats.tensor("t", DataType.F6_E2M3, Shape.of(4), 1, 1, 1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("F6_E2M3");
    }
}

package io.tensorfabric.test;

import static io.tensorfabric.test.FabricAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class TensorAssertTest {

    private static Tensor floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.nativeOrder());
        for (float value : values) {
            bytes.putFloat(value);
        }
        return Tensor.copyOf("f", DataType.F32, Shape.of(values.length), bytes.flip());
    }

    private static void assertFails(ThrowingCallable assertion, String message) {
        assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContaining(message);
    }

    @Test
    void whenATensorIsAsExpectedThenNothingHappens() {
        Tensor tensor = floats(1, -0.5f);
        assertThat(tensor)
                .isOpen()
                .hasName("f")
                .hasDataType(DataType.F32)
                .hasShape(2)
                .hasByteLength(8)
                .hasFloats(1, -0.5f)
                .hasSameContentAs(tensor);
        tensor.close();
        assertThat(tensor).isClosed();
    }

    @Test
    void whenATensorDiffersThenTheErrorSaysWhere() {
        try (Tensor tensor = floats(1, 2);
                Tensor other = floats(1, 3);
                Tensor longer = floats(1, 2, 3)) {
            assertFails(() -> assertThat(tensor).hasName("g"), "the name g, but it has f");
            assertFails(() -> assertThat(tensor).hasDataType(DataType.F16), "the data type F16, but it has F32");
            assertFails(() -> assertThat(tensor).hasShape(1, 2), "shape");
            assertFails(() -> assertThat(tensor).hasByteLength(9), "the byte length 9, but it has 8");
            assertFails(() -> assertThat(tensor).hasFloats(1), "the number of elements 1, but it has 2");
            assertFails(() -> assertThat(tensor).hasFloats(1, 3), "element 1 of tensor 'f' to be 3.0, but it is 2.0");
            assertFails(() -> assertThat(tensor).hasSameContentAs(other), "byte 6");
            assertFails(() -> assertThat(tensor).hasSameContentAs(longer), "shape");
            assertFails(() -> assertThat(tensor).hasBytes((byte) 1), "byte length");
            assertFails(() -> assertThat(tensor).isClosed(), "it is open");
        }
    }

    @Test
    void whenWhatCameWithATensorDiffersThenTheErrorSaysSo() {
        try (Tensor tensor = floats(1)) {
            CapturedTensor captured = new CapturedTensor(tensor, "feeder", Map.of("k", "v"));
            assertThat(captured).hasHeader("k", "v").isFrom("feeder").hasFloats(1);
            assertFails(() -> assertThat(captured).hasHeader("k", "w"), "'k' = 'w', but it has {k=v}");
            assertFails(() -> assertThat(captured).isFrom("ranker"), "but it is from 'feeder'");
        }
    }
}

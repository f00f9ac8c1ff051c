package io.tensorfabric.interop.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Floats;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OnnxTensorsTest {

    private static final Shape SHAPE = Shape.of(2, 3);

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    @Test
    void whenASessionRunsThenItReadsAndWritesTheTensorsMemory() throws OrtException {
        try (OrtSession session = environment.createSession(OnnxModel.of("Neg"));
                Tensor input = Floats.tensor("x", DataType.F32, SHAPE, 1, 2, 3, 4, 5, 6);
                Tensor output = Tensor.allocate(new TensorDescriptor("y", DataType.F32, SHAPE));
                OnnxView x = OnnxTensors.view(environment, input);
                OnnxView y = OnnxTensors.view(environment, output)) {
            session.run(Map.of("x", x.value()), Set.of(), Map.of("y", y.value()))
                    .close();
            assertThat(Floats.toFloats(output)).containsExactly(-1, -2, -3, -4, -5, -6);

            input.asByteBuffer().putFloat(0, 10);
            try (OrtSession.Result result = session.run(Map.of("x", x.value()));
                    Tensor copy = OnnxTensors.tensor("z", (OnnxTensor) result.get(0))) {
                assertThat(Floats.toFloats(copy)).startsWith(-10, -2);
                assertThat(copy.shape()).isEqualTo(SHAPE);
            }
        }
    }

    @Test
    void whenAViewIsTurnedBackThenTheMemoryIsTheSame() throws OrtException {
        try (Tensor tensor = Floats.tensor("x", DataType.F32, SHAPE, 1, 2, 3, 4, 5, 6);
                OnnxView view = OnnxTensors.view(environment, tensor);
                Tensor back = OnnxTensors.tensor("back", view.value())) {
            assertThat(back.address()).isEqualTo(tensor.address());
            assertThat(back.dataType()).isEqualTo(DataType.F32);
        }
    }

    @Test
    void whenOnnxHasABufferOfAnotherKindThenItIsCopied() throws OrtException {
        try (OnnxTensor value =
                        OnnxTensor.createTensor(environment, FloatBuffer.wrap(new float[] {7, 8}), new long[] {2});
                Tensor copy = OnnxTensors.tensor("copy", value)) {
            assertThat(Floats.toFloats(copy)).containsExactly(7, 8);
        }
        ByteBuffer larger = ByteBuffer.allocateDirect(24).order(java.nio.ByteOrder.nativeOrder());
        larger.putFloat(8, 5);
        larger.position(8).limit(16);
        try (OnnxTensor value = OnnxTensor.createTensor(
                        environment, larger, new long[] {2}, ai.onnxruntime.OnnxJavaType.FLOAT);
                Tensor part = OnnxTensors.tensor("part", value)) {
            assertThat(Floats.toFloats(part)).containsExactly(5, 0);
        }
    }

    @Test
    void whenATensorIsClosedThenItsViewKeepsTheMemory() throws OrtException {
        Tensor tensor = Floats.tensor("x", DataType.F32, SHAPE, 1, 2, 3, 4, 5, 6);
        OnnxView view = OnnxTensors.view(environment, tensor);
        tensor.close();

        assertThat(view.value().getFloatBuffer().get(5)).isEqualTo(6);
        view.close();
        view.close();
        assertThatIllegalStateException().isThrownBy(() -> OnnxTensors.view(environment, tensor));
    }

    @ParameterizedTest
    @EnumSource(
            value = DataType.class,
            names = {"F32", "F64", "F16", "BF16", "I8", "I16", "I32", "I64", "U8", "BOOL"})
    void whenBothHaveATypeThenItGoesBothWays(DataType type) throws OrtException {
        try (Tensor tensor = Tensor.copyOf("t", type, Shape.of(4), new byte[(int) type.byteLength(4)]);
                OnnxView view = OnnxTensors.view(environment, tensor);
                Tensor back = OnnxTensors.tensor("t", view.value())) {
            assertThat(back.descriptor()).isEqualTo(tensor.descriptor());
        }
    }

    @Test
    void whenOnnxHasNoSuchTypeThenTheMessageNamesIt() {
        try (Tensor tensor = Tensor.copyOf("w", DataType.F8_E4M3, Shape.of(4), new byte[4])) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> OnnxTensors.view(environment, tensor))
                    .withMessageContainingAll("F8_E4M3", "'w'");
        }
    }
}

package io.tensorfabric.interop.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.djl.engine.Engine;
import ai.djl.ndarray.NDManager;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Floats;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import org.junit.jupiter.api.Test;

class DjlArraysTest {

    @Test
    void whenATensorIsViewedThenTheArrayHasItsValuesAndGoesBack() {
        try (NDManager manager = Engine.getEngine("OnnxRuntime").newBaseManager();
                Tensor tensor = Floats.tensor("x", DataType.F32, Shape.of(2, 3), 1, 2, 3, 4, 5, 6);
                DjlView view = DjlArrays.view(manager, tensor)) {
            assertThat(view.array().getShape().getShape()).containsExactly(2, 3);
            assertThat(view.array().toFloatArray()).containsExactly(1, 2, 3, 4, 5, 6);

            // This engine takes direct buffers as they are.
            tensor.asByteBuffer().putFloat(0, 9);
            assertThat(view.array().toFloatArray()).startsWith(9, 2);

            try (Tensor copy = DjlArrays.copyOf("back", view.array())) {
                assertThat(Floats.toFloats(copy)).containsExactly(9, 2, 3, 4, 5, 6);
                assertThat(copy.shape()).isEqualTo(Shape.of(2, 3));
            }
        }
    }

    @Test
    void whenATensorIsClosedThenItsViewKeepsTheMemory() {
        try (NDManager manager = Engine.getEngine("OnnxRuntime").newBaseManager()) {
            Tensor tensor = Floats.tensor("x", DataType.F32, Shape.of(2), 1, 2);
            DjlView view = DjlArrays.view(manager, tensor);
            tensor.close();
            assertThat(view.array().toFloatArray()).containsExactly(1, 2);
            view.close();
            view.close();
        }
    }

    @Test
    void whenDjlHasNoSuchTypeThenTheMessageNamesIt() {
        try (NDManager manager = Engine.getEngine("OnnxRuntime").newBaseManager();
                Tensor tensor = Tensor.copyOf("w", DataType.F8_E5M2, Shape.of(4), new byte[4])) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> DjlArrays.view(manager, tensor))
                    .withMessageContainingAll("F8_E5M2", "'w'");
        }
    }
}

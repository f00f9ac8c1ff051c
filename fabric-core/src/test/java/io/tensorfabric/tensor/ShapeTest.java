package io.tensorfabric.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ShapeTest {

    @Test
    void whenRankIsZeroThenOneElement() {
        assertThat(Shape.of().elementCount()).isEqualTo(1);
        assertThat(Shape.of()).isEqualTo(Shape.scalar()).hasToString("[]").isNotEqualTo(Shape.of(1));
    }

    @Test
    void whenADimensionIsZeroThenNoElement() {
        assertThat(Shape.of(1, 8, 0, 128).elementCount()).isZero();
        assertThat(Shape.of(1, 8, 0, 128).isEmpty()).isTrue();
        assertThat(Shape.of(1, 8)).hasToString("[1, 8]");
    }

    @Test
    void whenProductOverflowsThenRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(1L << 32, 1L << 31));
        assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(1L << 31, 1L << 31, 1L << 31));
        assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(1L << 40, 1L << 40, 0));
        assertThat(Shape.of(Long.MAX_VALUE).elementCount()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whenNegativeOrTooManyDimensionsThenRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(2, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(new long[33]));
        assertThat(Shape.of(new long[32]).rank()).isEqualTo(32);
    }

    @Test
    void whenCallerChangesItsArrayThenShapeStays() {
        long[] dims = {2, 3};
        Shape shape = Shape.of(dims);
        dims[0] = 9;
        shape.dims()[1] = 9;
        assertThat(shape).isEqualTo(Shape.of(2, 3)).hasSameHashCodeAs(Shape.of(2, 3));
        assertThat(shape.dim(1)).isEqualTo(3);
    }

    @Test
    void whenStridesCarryNoMeaningThenStillRowMajor() {
        assertThat(Shape.of(1, 8, 0, 128).isRowMajor(new long[] {0, 0, 0, 0})).isTrue();
        assertThat(Shape.of(1, 4).isRowMajor(new long[] {999, 1})).isTrue();
        assertThat(Shape.of(4, 1).isRowMajor(new long[] {1, 77})).isTrue();
        assertThat(Shape.of().isRowMajor(new long[0])).isTrue();
        assertThat(Shape.of(2, 3, 4).isRowMajor(Shape.of(2, 3, 4).rowMajorStrides()))
                .isTrue();
    }

    @Test
    void whenTransposedOrSpacedThenNotRowMajor() {
        assertThat(Shape.of(3, 2).isRowMajor(new long[] {1, 3})).isFalse();
        assertThat(Shape.of(4).isRowMajor(new long[] {2})).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(3, 2).isRowMajor(new long[] {1}));
    }
}

package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WarmUpTest {

    @Test
    void whenTheRateGrowsThenItGoesOn() {
        WarmUp warmUp = new WarmUp(100);
        for (double rate = 1; rate < 1000; rate *= 1.2) {
            assertThat(warmUp.goesOn(rate, 0)).isTrue();
        }
    }

    @Test
    void whenThreePiecesAreNoFasterThenItIsOver() {
        WarmUp warmUp = new WarmUp(100);
        assertThat(warmUp.goesOn(10, 0)).isTrue();
        assertThat(warmUp.goesOn(20, 0)).isTrue();
        assertThat(warmUp.goesOn(21, 0)).isTrue();
        assertThat(warmUp.goesOn(5, 0)).isTrue();
        assertThat(warmUp.goesOn(20, 0)).isFalse();
    }

    @Test
    void whenTheCompilerStillWorksThenItGoesOnThoughTheRateDoesNotGrow() {
        WarmUp warmUp = new WarmUp(100);
        for (int piece = 0; piece < 10; piece++) {
            assertThat(warmUp.goesOn(10, 0.3)).isTrue();
        }
        assertThat(warmUp.goesOn(10, 0.05)).isTrue();
        assertThat(warmUp.goesOn(10, 0)).isTrue();
        assertThat(warmUp.goesOn(10, 0)).isFalse();
    }

    @Test
    void whenTheTimeIsUpThenItIsOverThoughTheRateGrows() {
        WarmUp warmUp = new WarmUp(3);
        assertThat(warmUp.goesOn(1, 0)).isTrue();
        assertThat(warmUp.goesOn(10, 0)).isTrue();
        assertThat(warmUp.goesOn(100, 0)).isFalse();
    }
}

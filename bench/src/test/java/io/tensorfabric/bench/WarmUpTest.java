package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WarmUpTest {

    @Test
    void whenTheRateGrowsThenItGoesOn() {
        WarmUp warmUp = new WarmUp(100);
        for (double rate = 1; rate < 1000; rate *= 1.2) {
            assertThat(warmUp.goesOn(rate)).isTrue();
        }
    }

    @Test
    void whenThreePiecesAreNoFasterThenItIsOver() {
        WarmUp warmUp = new WarmUp(100);
        assertThat(warmUp.goesOn(10)).isTrue();
        assertThat(warmUp.goesOn(20)).isTrue();
        assertThat(warmUp.goesOn(21)).isTrue();
        assertThat(warmUp.goesOn(5)).isTrue();
        assertThat(warmUp.goesOn(20)).isFalse();
    }

    @Test
    void whenTheTimeIsUpThenItIsOverThoughTheRateGrows() {
        WarmUp warmUp = new WarmUp(3);
        assertThat(warmUp.goesOn(1)).isTrue();
        assertThat(warmUp.goesOn(10)).isTrue();
        assertThat(warmUp.goesOn(100)).isFalse();
    }
}

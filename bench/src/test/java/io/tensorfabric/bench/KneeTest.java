package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class KneeTest {

    @Test
    void whenALaterSettingIsHardlyBetterThenTheEarlierOneIsTaken() {
        Knee knee = new Knee();
        knee.add("1", 2.0);
        knee.add("2", 3.9);
        knee.add("4", 4.0);
        knee.add("8", 3.0);

        assertThat(knee.least()).isEqualTo("2");
    }

    @Test
    void whenARoundWasDisturbedThenTheMedianCounts() {
        Knee knee = new Knee();
        for (double value : new double[] {1.0, 4.0, 4.1}) {
            knee.add("1", value);
        }
        for (double value : new double[] {4.1, 4.0, 9.0}) {
            knee.add("2", value);
        }

        assertThat(knee.median("1")).isEqualTo(4.0);
        assertThat(knee.least()).isEqualTo("1");
    }

    @Test
    void whenNothingWasMeasuredThenThereIsNoKnee() {
        assertThatIllegalStateException().isThrownBy(() -> new Knee().least());
        assertThatIllegalStateException()
                .isThrownBy(() -> new Knee().median("1"))
                .withMessageContaining("1");
    }
}

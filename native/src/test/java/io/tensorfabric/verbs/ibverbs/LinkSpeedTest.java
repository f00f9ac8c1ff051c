package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkSpeedTest {

    @ParameterizedTest
    @CsvSource({
        "1, 1, 2500000000",
        "2, 32, 100000000000",
        "2, 128, 400000000000",
        "2, 4, 40000000000",
        "3, 1, 0",
        "1, 3, 0"
    })
    void whenWidthAndSpeedAreKnownThenTheyAreMultiplied(int width, int speed, long expected) {
        assertThat(LinkSpeed.bitsPerSecond(width, speed)).isEqualTo(expected);
    }
}

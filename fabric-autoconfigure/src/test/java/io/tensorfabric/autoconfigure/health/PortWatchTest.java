package io.tensorfabric.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class PortWatchTest {

    private Instant now = Instant.EPOCH;

    private final InstantSource time = () -> now;

    private final PortWatch watch = new PortWatch(time.withZone(ZoneOffset.UTC), Duration.ofSeconds(15));

    private boolean at(int second, boolean active) {
        now = Instant.ofEpochSecond(second);
        return watch.isDown(active);
    }

    @Test
    void whenThePortTogglesEverySecondThenItCountsAsUpThroughout() {
        for (int second = 0; second < 60; second++) {
            assertThat(at(second, second % 2 == 0)).isFalse();
        }
    }

    @Test
    void whenThePortStaysDownThenItCountsAsDownAfterTheGrace() {
        assertThat(at(0, false)).isFalse();
        assertThat(at(14, false)).isFalse();
        assertThat(at(15, false)).isTrue();
        assertThat(at(16, true)).isTrue();
        assertThat(at(20, false)).isTrue();
        assertThat(at(21, true)).isTrue();
        assertThat(at(36, true)).isFalse();
    }
}

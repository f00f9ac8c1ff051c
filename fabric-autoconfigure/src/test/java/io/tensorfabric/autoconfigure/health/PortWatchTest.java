package io.tensorfabric.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class PortWatchTest {

    private final ManualClock clock = new ManualClock();

    private final PortWatch watch = new PortWatch(clock, Duration.ofSeconds(15));

    private static final class ManualClock extends Clock {

        private long millis;

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis);
        }

        @Override
        public long millis() {
            return millis;
        }
    }

    private boolean at(int second, boolean active) {
        clock.millis = second * 1000L;
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

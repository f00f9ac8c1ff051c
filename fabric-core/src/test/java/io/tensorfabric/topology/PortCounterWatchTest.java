package io.tensorfabric.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortCounterWatchTest {

    @TempDir
    private Path folder;

    private Instant now = Instant.EPOCH;

    private final InstantSource time = () -> now;

    private SysfsTree tree;

    private PortCounterWatch watch;

    @BeforeEach
    void plant() {
        tree = new SysfsTree(folder);
        tree.counter("mlx5_0", "counters/symbol_error", 40)
                .counter("mlx5_0", "counters/port_rcv_packets", 1)
                .counter("mlx5_0", "hw_counters/np_cnp_sent", 1);
        watch = new PortCounterWatch(
                new PortCounters(tree.sysfs(), "mlx5_0", 1), time.withZone(ZoneOffset.UTC), Duration.ofMinutes(5));
    }

    private void at(int seconds) {
        now = Instant.ofEpochSecond(seconds);
    }

    @Test
    void whenErrorsAreOldThenNothingIsTold() {
        at(600);
        assertThat(watch.warnings()).isEmpty();
    }

    @Test
    void whenErrorsGrowThenCounterAmountTimeAndRemedyAreToldUntilTheWindowIsOver() {
        at(60);
        tree.counter("mlx5_0", "counters/symbol_error", 43);
        assertThat(watch.warnings())
                .containsExactly("Port 1 of mlx5_0: symbol_error grew by 3 since 1970-01-01T00:00:00Z. "
                        + PortCounter.SYMBOL_ERROR.remedy());
        at(290);
        assertThat(watch.growth()).hasSize(1);
        at(361);
        assertThat(watch.growth()).isEmpty();
    }

    @Test
    void whenTrafficOrCongestionGrowsThenThatIsNoFault() {
        at(60);
        tree.counter("mlx5_0", "counters/port_rcv_packets", 99).counter("mlx5_0", "hw_counters/np_cnp_sent", 99);
        assertThat(watch.growth()).isEmpty();
    }

    @Test
    void whenNobodyAsksForLongThenNothingIsLostAndTheTimeIsHonest() {
        at(60);
        assertThat(watch.growth()).isEmpty();
        tree.counter("mlx5_0", "counters/symbol_error", 41);
        at(4000);
        assertThat(watch.growth())
                .containsExactly(new PortCounterWatch.Growth(PortCounter.SYMBOL_ERROR, 1, Instant.ofEpochSecond(60)));
    }

    @Test
    void whenCountersStartAnewOrVanishThenNothingIsTold() {
        at(10);
        tree.counter("mlx5_0", "counters/symbol_error", 0);
        assertThat(watch.growth()).isEmpty();
        tree.counter("mlx5_0", "counters/symbol_error", "gone");
        assertThat(watch.growth()).isEmpty();
    }

    @Test
    void whenAskedOftenThenItRemembersOnlyWhatItNeeds() {
        for (int second = 0; second < 10_000; second++) {
            at(second);
            watch.growth();
        }
        assertThat(watch)
                .extracting("looks")
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.COLLECTION)
                .hasSizeLessThan(40);
    }
}

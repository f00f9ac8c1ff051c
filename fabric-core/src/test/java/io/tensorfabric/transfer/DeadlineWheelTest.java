package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DeadlineWheelTest {

    private final DeadlineWheel wheel = new DeadlineWheel("test-wheel");

    @AfterEach
    void close() {
        wheel.close();
    }

    private static final class Probe extends DeadlineWheel.Entry {

        private final CountDownLatch latch = new CountDownLatch(1);
        private final AtomicInteger times = new AtomicInteger();
        private volatile long at;

        @Override
        void expired() {
            at = System.nanoTime();
            times.incrementAndGet();
            latch.countDown();
        }
    }

    @Test
    void whenTheTimeComesThenAnEntryExpiresOnceAndNotBefore() throws Exception {
        List<Probe> probes = new ArrayList<>();
        List<Long> due = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Probe probe = new Probe();
            long delay = TimeUnit.MILLISECONDS.toNanos(i * 7 % 100);
            due.add(System.nanoTime() + delay);
            wheel.arm(probe, delay);
            probes.add(probe);
        }
        for (int i = 0; i < probes.size(); i++) {
            assertThat(probes.get(i).latch.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(probes.get(i).at).isGreaterThanOrEqualTo(due.get(i));
            assertThat(probes.get(i).times).hasValue(1);
        }
    }

    @Test
    void whenCancelledThenAnEntryNeverExpires() throws Exception {
        Probe cancelled = new Probe();
        Probe later = new Probe();
        wheel.arm(cancelled, TimeUnit.MILLISECONDS.toNanos(20));
        wheel.arm(later, TimeUnit.MILLISECONDS.toNanos(60));
        assertThat(wheel.cancel(cancelled)).isTrue();
        assertThat(wheel.cancel(cancelled)).isFalse();
        assertThat(later.latch.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(cancelled.times).hasValue(0);
        assertThat(wheel.cancel(later)).isFalse();
    }

    @Test
    void whenArmedAgainThenOnlyTheLatestTimeCounts() throws Exception {
        Probe probe = new Probe();
        wheel.arm(probe, TimeUnit.SECONDS.toNanos(60));
        wheel.arm(probe, TimeUnit.MILLISECONDS.toNanos(10));
        assertThat(probe.latch.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(wheel.cancel(probe)).isFalse();
    }

    @Test
    void whenAnEntryLiesMoreThanATurnAheadThenNearerOnesAreServed() throws Exception {
        Probe far = new Probe();
        Probe near = new Probe();
        wheel.arm(far, TimeUnit.SECONDS.toNanos(41));
        wheel.arm(near, TimeUnit.MILLISECONDS.toNanos(30));
        assertThat(near.latch.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(far.times).hasValue(0);
        assertThat(wheel.cancel(far)).isTrue();
    }
}

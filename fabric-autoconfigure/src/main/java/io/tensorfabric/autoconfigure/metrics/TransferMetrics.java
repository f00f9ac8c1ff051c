package io.tensorfabric.autoconfigure.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.tensorfabric.transfer.TransferObserver;
import io.tensorfabric.transfer.TransferPath;
import io.tensorfabric.transfer.TransferStatus;
import io.tensorfabric.transfer.TransferStatus.Direction;
import io.tensorfabric.transfer.TransferStatus.State;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Times transfers as they end. The registry is asked for on first use, because it may depend on beans that depend on the
 * fabric. Thread-safe, and makes no garbage.
 */
final class TransferMetrics implements TransferObserver {

    private static final int STATES = State.values().length;

    private static final int PATHS = TransferPath.values().length;

    private final Supplier<MeterRegistry> registry;

    /** By direction and outcome. */
    private final AtomicReferenceArray<@Nullable Timer> timers =
            new AtomicReferenceArray<>(Direction.values().length * STATES);

    /** By direction and path. */
    private final AtomicReferenceArray<@Nullable Counter> counters =
            new AtomicReferenceArray<>(Direction.values().length * PATHS);

    TransferMetrics(Supplier<MeterRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public void transferEnded(TransferStatus status, Duration elapsed) {
        // What there is to count was counted.
    }

    @Override
    public boolean wantsStatus(State state) {
        return false;
    }

    @Override
    public void transferCounted(Direction direction, State state, TransferPath path, long bytes, long nanos) {
        int place = direction.ordinal() * STATES + state.ordinal();
        Timer timer = timers.get(place);
        if (timer == null) {
            // The registry makes each meter once, whoever asks.
            timer = timer(tag(direction), tag(state));
            timers.set(place, timer);
        }
        timer.record(nanos, TimeUnit.NANOSECONDS);
        if (state == State.DONE) {
            bytes(direction, path).increment((double) bytes);
        }
    }

    private Counter bytes(Direction direction, TransferPath path) {
        int place = direction.ordinal() * PATHS + path.ordinal();
        Counter counter = counters.get(place);
        if (counter == null) {
            counter = counter(tag(direction), tag(path));
            counters.set(place, counter);
        }
        return counter;
    }

    private static String tag(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private Timer timer(String direction, String outcome) {
        return Timer.builder("fabric.transfer")
                .description("Time of transfers from the push, or from the arrival of the header, to their end")
                .tag("direction", direction)
                .tag("outcome", outcome)
                .register(registry.get());
    }

    private Counter counter(String direction, String path) {
        return Counter.builder("fabric.transfer.bytes")
                .description("Payload of transfers that succeeded")
                .baseUnit("bytes")
                .tag("direction", direction)
                .tag("path", path)
                .register(registry.get());
    }
}

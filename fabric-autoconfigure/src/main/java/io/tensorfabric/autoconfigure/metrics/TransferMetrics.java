package io.tensorfabric.autoconfigure.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.tensorfabric.transfer.TransferObserver;
import io.tensorfabric.transfer.TransferPath;
import io.tensorfabric.transfer.TransferStatus;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Times transfers as they end. The registry is asked for on first use, because it may depend on beans that depend on the
 * fabric. Thread-safe.
 */
final class TransferMetrics implements TransferObserver {

    private final Supplier<MeterRegistry> registry;

    private final Map<String, Timer> timers = new ConcurrentHashMap<>();

    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    TransferMetrics(Supplier<MeterRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public void transferEnded(TransferStatus status, Duration elapsed) {
        String direction = status.direction().name().toLowerCase(Locale.ROOT);
        String outcome = status.state().name().toLowerCase(Locale.ROOT);
        timers.computeIfAbsent(direction + ' ' + outcome, key -> timer(direction, outcome))
                .record(elapsed);
        if (status.state() == TransferStatus.State.DONE) {
            String path = path(status.path());
            counters.computeIfAbsent(direction + ' ' + path, key -> counter(direction, path))
                    .increment((double) status.bytes());
        }
    }

    private Timer timer(String direction, String outcome) {
        return Timer.builder("fabric.transfer")
                .description("Time of transfers from the push, or from the arrival of the header, to their end")
                .tag("direction", direction)
                .tag("outcome", outcome)
                .register(registry.get());
    }

    private static String path(@Nullable TransferPath path) {
        return (path == null ? TransferPath.NONE : path).name().toLowerCase(Locale.ROOT);
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

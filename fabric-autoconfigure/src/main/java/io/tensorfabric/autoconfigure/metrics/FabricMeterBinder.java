package io.tensorfabric.autoconfigure.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.memory.MemoryPoolStatistics;
import io.tensorfabric.transfer.TransferStatistics;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.function.ToDoubleFunction;

/** Gauges and counters that are read from the running fabric; zero while it does not run. */
final class FabricMeterBinder implements MeterBinder {

    private final FabricLifecycle lifecycle;

    FabricMeterBinder(FabricLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        bindCompletions(registry);
        bindConnections(registry);
        bindPool(registry);
        bindTransfers(registry);
    }

    private void bindCompletions(MeterRegistry registry) {
        for (WorkCompletionStatus status : WorkCompletionStatus.values()) {
            FunctionCounter.builder(
                            "fabric.cq.completions",
                            lifecycle,
                            read(node -> node.device().completionCounters().getOrDefault(status, 0L)))
                    .description("Work completions by status")
                    .tag("status", status.name())
                    .register(registry);
        }
    }

    private void bindConnections(MeterRegistry registry) {
        for (ConnectionState state : ConnectionState.values()) {
            Gauge.builder(
                            "fabric.connection.count",
                            lifecycle,
                            read(node -> node.connections().connections().stream()
                                    .filter(connection -> connection.state() == state)
                                    .count()))
                    .description("Connections by state")
                    .tag("state", state.name())
                    .register(registry);
        }
        FunctionCounter.builder(
                        "fabric.connection.evictions",
                        lifecycle,
                        read(node -> node.connections().evictions()))
                .description("Unused connections that were closed, mostly to make room for others")
                .register(registry);
        for (QueuePairState state : QueuePairState.values()) {
            Gauge.builder(
                            "fabric.qp.count",
                            lifecycle,
                            read(node -> node.connections().connections().stream()
                                    .flatMap(connection -> connection.queuePairs().stream())
                                    .filter(pair -> pair.state() == state)
                                    .count()))
                    .description("Queue pairs of this node by state")
                    .tag("state", state.name())
                    .register(registry);
        }
    }

    private void bindPool(MeterRegistry registry) {
        poolGauge(registry, "capacity", "Most memory that the pool may hold", "bytes", MemoryPoolStatistics::capacity);
        poolGauge(registry, "registered", "Registered memory", "bytes", MemoryPoolStatistics::registered);
        poolGauge(registry, "used", "Memory in leases", "bytes", MemoryPoolStatistics::inUse);
        poolGauge(registry, "peak", "Most memory that was in leases at once", "bytes", MemoryPoolStatistics::peak);
        poolGauge(registry, "free", "Memory that leases could still take", "bytes", MemoryPoolStatistics::free);
        poolGauge(registry, "fragmentation", "1 - largest free / free", "", MemoryPoolStatistics::fragmentation);
        poolGauge(registry, "leases", "Leases that are not closed", "", MemoryPoolStatistics::leases);
        poolCounter(registry, "waits", "Requests that had to wait for room", MemoryPoolStatistics::waits);
        poolCounter(registry, "failures", "Requests that got no buffer", MemoryPoolStatistics::failures);
    }

    private void poolGauge(
            MeterRegistry registry,
            String name,
            String description,
            String unit,
            ToDoubleFunction<MemoryPoolStatistics> value) {
        Gauge.builder("fabric.pool." + name, lifecycle, pool(value))
                .description(description)
                .baseUnit(unit.isEmpty() ? null : unit)
                .tag("pool", "host")
                .register(registry);
    }

    private void poolCounter(
            MeterRegistry registry, String name, String description, ToDoubleFunction<MemoryPoolStatistics> value) {
        FunctionCounter.builder("fabric.pool." + name, lifecycle, pool(value))
                .description(description)
                .tag("pool", "host")
                .register(registry);
    }

    private static ToDoubleFunction<FabricLifecycle> pool(ToDoubleFunction<MemoryPoolStatistics> value) {
        return read(node -> value.applyAsDouble(node.hostPool().statistics()));
    }

    private void bindTransfers(MeterRegistry registry) {
        counter(registry, "retries", "Further attempts of pushes", TransferStatistics::retries);
        counter(registry, "rejected", "Tensors that were refused here", TransferStatistics::rejected);
        counter(registry, "duplicates", "Tensors that came again after a retry", TransferStatistics::duplicates);
        counter(registry, "listener.failures", "Tensors whose listener threw", TransferStatistics::listenerFailures);
        gauge(registry, "active", "Pushes under way", TransferStatistics::pushesInFlight);
        gauge(registry, "open", "Received tensors that are not closed", TransferStatistics::openTensors);
    }

    private void counter(
            MeterRegistry registry, String name, String description, ToDoubleFunction<TransferStatistics> value) {
        FunctionCounter.builder("fabric.transfer." + name, lifecycle, transfers(value))
                .description(description)
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry, String name, String description, ToDoubleFunction<TransferStatistics> value) {
        Gauge.builder("fabric.transfer." + name, lifecycle, transfers(value))
                .description(description)
                .register(registry);
    }

    private static ToDoubleFunction<FabricLifecycle> transfers(ToDoubleFunction<TransferStatistics> value) {
        return read(node -> value.applyAsDouble(node.transfers().statistics()));
    }

    private static ToDoubleFunction<FabricLifecycle> read(ToDoubleFunction<FabricNode> value) {
        return lifecycle -> {
            FabricNode node = lifecycle.node();
            return node == null ? 0 : value.applyAsDouble(node);
        };
    }
}

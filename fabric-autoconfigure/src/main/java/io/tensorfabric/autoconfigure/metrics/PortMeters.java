package io.tensorfabric.autoconfigure.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.topology.PortCounter;
import io.tensorfabric.topology.PortCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/**
 * Meters of the counters that the port in use has. They are there while the fabric runs, because only then it is known which
 * port that is, and what it counts.
 */
final class PortMeters implements SmartLifecycle {

    private final FabricLifecycle lifecycle;

    private final Supplier<MeterRegistry> registry;

    private final List<Meter> meters = new ArrayList<>();

    private volatile boolean running;

    PortMeters(FabricLifecycle lifecycle, Supplier<MeterRegistry> registry) {
        this.lifecycle = lifecycle;
        this.registry = registry;
    }

    @Override
    public synchronized void start() {
        FabricNode node = lifecycle.node();
        if (running || node == null) {
            return;
        }
        running = true;
        PortCounters counters = node.diagnostics().portCounters();
        counters.readAll().keySet().forEach(counter -> meters.add(meter(counters, counter)));
    }

    private Meter meter(PortCounters counters, PortCounter counter) {
        Tags port = Tags.of("device", counters.device(), "port", Integer.toString(counters.port()));
        FunctionCounter.Builder<FabricLifecycle> builder = FunctionCounter.builder(name(counter), lifecycle, ignored ->
                (double) counters.read(counter).orElse(0));
        return switch (counter) {
            case DATA_RECEIVED, DATA_TRANSMITTED ->
                builder.description("Data that the port moved, of all processes")
                        .baseUnit("bytes")
                        .tags(port.and("direction", direction(counter)))
                        .register(registry.get());
            case PACKETS_RECEIVED, PACKETS_TRANSMITTED ->
                builder.description("Packets that the port moved, of all processes")
                        .tags(port.and("direction", direction(counter)))
                        .register(registry.get());
            default ->
                builder.description("Counters of the port, of all processes, as the node exporter calls them")
                        .tags(port.and("name", counter.label()))
                        .register(registry.get());
        };
    }

    private static String name(PortCounter counter) {
        return switch (counter) {
            case DATA_RECEIVED, DATA_TRANSMITTED -> "fabric.port.data";
            case PACKETS_RECEIVED, PACKETS_TRANSMITTED -> "fabric.port.packets";
            default -> "fabric.port.counter";
        };
    }

    private static String direction(PortCounter counter) {
        return counter == PortCounter.DATA_RECEIVED || counter == PortCounter.PACKETS_RECEIVED ? "in" : "out";
    }

    @Override
    public synchronized void stop() {
        running = false;
        meters.forEach(meter -> registry.get().remove(meter));
        meters.clear();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }

    /** Just after the fabric, and before the web server. */
    @Override
    public int getPhase() {
        return FabricLifecycle.PHASE + 1;
    }
}

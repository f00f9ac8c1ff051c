package io.tensorfabric.diagnostics;

import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.topology.PortCounters;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Looks at everything between this node and a peer that transfers depend on: first at this host, then by transfers that ask
 * for more and more. The peer's fabric answers them by itself; no listener sees them. Nothing is thrown for what is wrong: it
 * is in the report. Thread-safe.
 */
public final class Preflight {

    private final PreflightSubject subject;

    private final Duration timeout;

    /**
     * A preflight.
     *
     * @param subject the node
     * @param timeout longest time for all of it
     */
    public Preflight(PreflightSubject subject, Duration timeout) {
        this.subject = subject;
        this.timeout = timeout;
    }

    /**
     * Runs it; blocks, at most for the timeout and as long as reading small files takes.
     *
     * @param peer name of the peer
     */
    public PreflightReport run(String peer) {
        Instant started = Instant.now();
        long begin = System.nanoTime();
        FabricDevice device = subject.connections().device();
        PortCounters counters = new PortCounters(subject.sysfs(), device.deviceName(), device.port());
        List<PreflightStep> environment = new EnvironmentChecks(subject).run();
        List<PreflightStep> ladder = new PreflightLadder(subject, peer, counters, begin + timeout.toNanos()).run();
        return new PreflightReport(
                peer,
                subject.connections().identity().nodeId(),
                device.deviceName(),
                started,
                TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin) / 1_000.0,
                environment,
                ladder);
    }
}

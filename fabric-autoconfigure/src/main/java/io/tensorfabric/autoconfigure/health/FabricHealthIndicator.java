package io.tensorfabric.autoconfigure.health;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.PeerState;
import io.tensorfabric.connection.PeerStatus;
import io.tensorfabric.diagnostics.Symptom;
import io.tensorfabric.memory.MemoryPoolStatistics;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.transfer.PeerResilience;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * UP while this node's device works. Dead peers and degraded paths are details, because restarting this node would mend
 * neither. A port must be down for some time before it counts, so that a flapping link does not flap the health.
 */
final class FabricHealthIndicator extends AbstractHealthIndicator {

    /** How long a port may be down before the node counts as out of service. */
    static final Duration PORT_GRACE = Duration.ofSeconds(15);

    private final FabricLifecycle lifecycle;

    private final PortWatch ports;

    FabricHealthIndicator(FabricLifecycle lifecycle, Clock clock) {
        super("The fabric's health cannot be told");
        this.lifecycle = lifecycle;
        this.ports = new PortWatch(clock, PORT_GRACE);
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        FabricNode node = lifecycle.node();
        if (node == null) {
            builder.status(Status.OUT_OF_SERVICE).withDetail("reason", "The fabric is not running");
            return;
        }
        builder.status(status(node.device(), builder))
                .withDetail("nodeId", node.connections().identity().nodeId())
                .withDetail("provider", node.providerName())
                .withDetail("providerReason", node.providerReason())
                .withDetail("device", node.device().deviceName())
                .withDetail("port", node.device().port())
                .withDetail("gpu", gpu(node))
                .withDetail("pool", pool(node.hostPool().statistics()))
                .withDetail("peers", peers(node))
                .withDetail("warnings", node.warnings());
    }

    private Status status(FabricDevice device, Health.Builder builder) {
        String failure = device.failure();
        if (failure != null) {
            builder.withDetail("reason", "The device failed: " + failure)
                    .withDetail("remedy", Symptom.DEVICE_FAILED.remedy());
            return Status.DOWN;
        }
        PortState state;
        try {
            state = device.portAttributes().state();
        } catch (VerbsException ex) {
            builder.withDetail("reason", "The device cannot be asked: " + ex.getMessage())
                    .withDetail("remedy", ex.errno().remedy());
            return Status.DOWN;
        }
        if (ports.isDown(state == PortState.ACTIVE)) {
            builder.withDetail("reason", portReason(state)).withDetail("remedy", Symptom.PORT_DOWN.remedy());
            return Status.OUT_OF_SERVICE;
        }
        return Status.UP;
    }

    static String portReason(PortState state) {
        return state == PortState.ACTIVE
                ? "The port is ACTIVE again, and counts as back once it has stayed so for " + PORT_GRACE.toSeconds()
                        + " s"
                : "The port has been " + state + " for more than " + PORT_GRACE.toSeconds() + " s";
    }

    private static Map<String, Object> gpu(FabricNode node) {
        Map<String, Object> details = new LinkedHashMap<>();
        String reason = node.gpus().unavailabilityReason();
        if (reason != null) {
            details.put("unavailable", reason);
        }
        for (GpuMemory memory : node.gpus().memories()) {
            details.put(
                    memory.kind().toString(),
                    memory.path().kind() + ": " + memory.path().reason());
        }
        details.put("landing", node.gpus().landing().toString());
        return details;
    }

    private static Map<String, Object> pool(MemoryPoolStatistics pool) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("capacity", pool.capacity());
        details.put("inUse", pool.inUse());
        details.put("leases", pool.leases());
        details.put("failures", pool.failures());
        return details;
    }

    private static Map<String, Object> peers(FabricNode node) {
        Map<String, Object> details = new LinkedHashMap<>();
        for (PeerStatus peer : node.connections().peers()) {
            String text = text(peer);
            PeerResilience.Status pushes = node.transfers().resilience().status(peer.peerName());
            boolean open = pushes != null && pushes.circuitBreaker() == CircuitBreaker.State.OPEN;
            details.put(peer.peerName(), open ? text + "; its circuit breaker is open" : text);
        }
        return details;
    }

    /** A connection that is up works, although its failures count until it has proved to be stable. */
    static String text(PeerStatus peer) {
        String failure = peer.lastFailure();
        boolean working = failure == null || peer.failures() == 0 || peer.state() == PeerState.UP;
        return working ? peer.state().name() : peer.state() + ": " + failure;
    }
}

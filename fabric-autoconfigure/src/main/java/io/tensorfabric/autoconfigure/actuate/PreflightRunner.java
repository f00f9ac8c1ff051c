package io.tensorfabric.autoconfigure.actuate;

import io.tensorfabric.autoconfigure.FabricDiagnostics;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.diagnostics.Preflight;
import io.tensorfabric.diagnostics.PreflightSubject;
import io.tensorfabric.topology.Sysfs;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/** Runs preflights on the running fabric, one at a time: they load the network, and would measure each other. */
final class PreflightRunner {

    private static final Sysfs PROC = new Sysfs(Path.of("/proc"));

    private final FabricLifecycle lifecycle;

    private final Semaphore turn = new Semaphore(1);

    PreflightRunner(FabricLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    PreflightView run(String peer) {
        FabricNode node = lifecycle.node();
        if (node == null) {
            throw refused("The fabric is not running");
        }
        if (!turn.tryAcquire()) {
            throw refused("A preflight is under way: try again when it has ended");
        }
        try {
            return PreflightView.of(
                    new Preflight(subject(node), node.diagnostics().preflightTimeout()).run(peer));
        } finally {
            turn.release();
        }
    }

    private static InvalidEndpointRequestException refused(String reason) {
        return new InvalidEndpointRequestException(reason, reason);
    }

    private static PreflightSubject subject(FabricNode node) {
        FabricDiagnostics diagnostics = node.diagnostics();
        String withoutGpu = node.gpus().unavailabilityReason();
        return new PreflightSubject(
                node.connections(),
                node.transfers(),
                node.hostPool(),
                node.gpus().memories(),
                withoutGpu == null ? "" : withoutGpu,
                diagnostics.sysfs(),
                PROC);
    }
}

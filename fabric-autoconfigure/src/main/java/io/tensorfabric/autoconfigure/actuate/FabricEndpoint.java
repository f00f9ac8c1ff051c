package io.tensorfabric.autoconfigure.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/** The fabric at a glance, and its parts. */
@Endpoint(id = "fabric")
final class FabricEndpoint {

    private final FabricInspector inspector;

    private final PreflightRunner preflight;

    FabricEndpoint(FabricInspector inspector, PreflightRunner preflight) {
        this.inspector = inspector;
        this.preflight = preflight;
    }

    @ReadOperation
    FabricViews.Overview overview() {
        return inspector.overview();
    }

    @ReadOperation
    @Nullable Object section(@Selector String section) {
        return inspector.section(section);
    }

    /** Tries the way to a peer out; {@code action} is {@code preflight}. */
    @WriteOperation
    PreflightView act(@Selector String action, @Selector String peer) {
        if (!action.equals("preflight")) {
            throw new InvalidEndpointRequestException("There is no such action", "The only action is preflight");
        }
        return preflight.run(peer);
    }
}

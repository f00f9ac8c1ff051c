package io.tensorfabric.autoconfigure.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The fabric at a glance, and its parts. */
@Endpoint(id = "fabric")
final class FabricEndpoint {

    private final FabricInspector inspector;

    FabricEndpoint(FabricInspector inspector) {
        this.inspector = inspector;
    }

    @ReadOperation
    FabricViews.Overview overview() {
        return inspector.overview();
    }

    @ReadOperation
    @Nullable Object section(@Selector String section) {
        return inspector.section(section);
    }
}

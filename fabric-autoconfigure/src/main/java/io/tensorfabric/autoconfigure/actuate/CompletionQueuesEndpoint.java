package io.tensorfabric.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Completion queues with their errors by status, each with its usual cause and remedy. */
@Endpoint(id = "completionqueues")
final class CompletionQueuesEndpoint {

    private final FabricInspector inspector;

    CompletionQueuesEndpoint(FabricInspector inspector) {
        this.inspector = inspector;
    }

    @ReadOperation
    FabricViews.CompletionQueues completionQueues() {
        return inspector.completionQueues();
    }
}

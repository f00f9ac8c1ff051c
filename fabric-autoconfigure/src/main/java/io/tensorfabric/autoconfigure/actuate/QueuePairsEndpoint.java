package io.tensorfabric.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Queue pairs of every connection with the states of both ends: the first thing to look at when a handshake fails. */
@Endpoint(id = "queuepairs")
final class QueuePairsEndpoint {

    private final FabricInspector inspector;

    QueuePairsEndpoint(FabricInspector inspector) {
        this.inspector = inspector;
    }

    @ReadOperation
    FabricViews.QueuePairs queuePairs() {
        return inspector.queuePairs();
    }
}

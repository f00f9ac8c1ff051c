package io.tensorfabric.observation;

import io.micrometer.common.KeyValues;
import io.tensorfabric.observation.FabricObservation.HighCardinality;

/** The default for calls of listeners: {@code fabric.listener}. */
public final class DefaultListenerObservationConvention implements ListenerObservationConvention {

    private final PeerKeys peers = new PeerKeys("listen to");

    /** The convention. */
    public DefaultListenerObservationConvention() {}

    @Override
    public String getName() {
        return "fabric.listener";
    }

    @Override
    public String getContextualName(ListenerObservationContext context) {
        return peers.of(context.peer()).span();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(ListenerObservationContext context) {
        return peers.of(context.peer()).values();
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(ListenerObservationContext context) {
        KeyValues details = context.details;
        if (details == null) {
            details = details(context);
            context.details = details;
        }
        return details;
    }

    private static KeyValues details(ListenerObservationContext context) {
        return KeyValues.of(
                HighCardinality.TENSOR.withValue(context.tensor().name()),
                HighCardinality.BYTES.withValue(Long.toString(context.tensor().byteLength())));
    }
}

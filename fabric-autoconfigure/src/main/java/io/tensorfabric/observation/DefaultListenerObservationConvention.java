package io.tensorfabric.observation;

import io.micrometer.common.KeyValues;
import io.tensorfabric.observation.FabricObservation.HighCardinality;
import io.tensorfabric.observation.FabricObservation.LowCardinality;

/** The default for calls of listeners: {@code fabric.listener}. */
public final class DefaultListenerObservationConvention implements ListenerObservationConvention {

    /** The convention. */
    public DefaultListenerObservationConvention() {}

    @Override
    public String getName() {
        return "fabric.listener";
    }

    @Override
    public String getContextualName(ListenerObservationContext context) {
        return "listen to " + context.peer();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(ListenerObservationContext context) {
        return KeyValues.of(LowCardinality.PEER.withValue(context.peer()));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(ListenerObservationContext context) {
        return KeyValues.of(
                HighCardinality.TENSOR.withValue(context.tensor().name()),
                HighCardinality.BYTES.withValue(Long.toString(context.tensor().byteLength())));
    }
}

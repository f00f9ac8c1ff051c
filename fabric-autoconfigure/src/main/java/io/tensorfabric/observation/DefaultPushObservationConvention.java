package io.tensorfabric.observation;

import io.micrometer.common.KeyValues;
import io.tensorfabric.observation.FabricObservation.HighCardinality;
import io.tensorfabric.observation.FabricObservation.LowCardinality;

/** The default for pushes: {@code fabric.push}. */
public final class DefaultPushObservationConvention implements PushObservationConvention {

    /** The convention. */
    public DefaultPushObservationConvention() {}

    @Override
    public String getName() {
        return "fabric.push";
    }

    @Override
    public String getContextualName(PushObservationContext context) {
        return "push to " + context.peer();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(PushObservationContext context) {
        return KeyValues.of(LowCardinality.PEER.withValue(context.peer()));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(PushObservationContext context) {
        return KeyValues.of(
                HighCardinality.TENSOR.withValue(context.tensor().name()),
                HighCardinality.BYTES.withValue(Long.toString(context.tensor().byteLength())));
    }
}

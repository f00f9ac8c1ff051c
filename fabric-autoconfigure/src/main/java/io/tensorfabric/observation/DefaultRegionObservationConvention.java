package io.tensorfabric.observation;

import io.micrometer.common.KeyValues;
import io.tensorfabric.observation.FabricObservation.HighCardinality;
import io.tensorfabric.observation.FabricObservation.LowCardinality;

/** The default for pulls and puts: {@code fabric.pull} and {@code fabric.put}. */
public final class DefaultRegionObservationConvention implements RegionObservationConvention {

    private final String name;

    /**
     * The convention.
     *
     * @param operation {@code pull} or {@code put}
     */
    public DefaultRegionObservationConvention(String operation) {
        this.name = "fabric." + operation;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public String getContextualName(RegionObservationContext context) {
        return context.operation() + " " + context.peer();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(RegionObservationContext context) {
        return KeyValues.of(LowCardinality.PEER.withValue(context.peer()));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(RegionObservationContext context) {
        return KeyValues.of(HighCardinality.TENSOR.withValue(context.tensor()));
    }
}

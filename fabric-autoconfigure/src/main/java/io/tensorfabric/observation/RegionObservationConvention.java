package io.tensorfabric.observation;

import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;

/** Name and keys of observations of pulls and puts. One that is set at the registry replaces the default. */
public interface RegionObservationConvention extends GlobalObservationConvention<RegionObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof RegionObservationContext;
    }
}

package io.tensorfabric.observation;

import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;

/** Name and keys of observations of pushes. A bean of this type replaces the default. */
public interface PushObservationConvention extends GlobalObservationConvention<PushObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof PushObservationContext;
    }
}

package io.tensorfabric.observation;

import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;

/** Name and keys of observations of calls of listeners. A bean of this type replaces the default. */
public interface ListenerObservationConvention extends GlobalObservationConvention<ListenerObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof ListenerObservationContext;
    }
}

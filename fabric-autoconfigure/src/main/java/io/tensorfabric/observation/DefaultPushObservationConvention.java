package io.tensorfabric.observation;

import io.micrometer.common.KeyValues;
import io.tensorfabric.observation.FabricObservation.HighCardinality;
import io.tensorfabric.observation.FabricObservation.LowCardinality;
import io.tensorfabric.tensor.TensorDescriptor;
import java.util.List;

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
        List<TensorDescriptor> tensors = context.tensors();
        String first = tensors.get(0).name();
        long bytes = 0;
        for (TensorDescriptor tensor : tensors) {
            bytes += tensor.byteLength();
        }
        return KeyValues.of(
                HighCardinality.TENSOR.withValue(
                        tensors.size() == 1 ? first : first + " and " + (tensors.size() - 1) + " more"),
                HighCardinality.BYTES.withValue(Long.toString(bytes)));
    }
}

package io.tensorfabric.observation;

import io.micrometer.common.KeyValues;
import io.tensorfabric.observation.FabricObservation.HighCardinality;
import io.tensorfabric.tensor.TensorDescriptor;
import java.util.List;

/** The default for pushes: {@code fabric.push}. */
public final class DefaultPushObservationConvention implements PushObservationConvention {

    private final PeerKeys peers = new PeerKeys("push to");

    /** The convention. */
    public DefaultPushObservationConvention() {}

    @Override
    public String getName() {
        return "fabric.push";
    }

    @Override
    public String getContextualName(PushObservationContext context) {
        return peers.of(context.peer()).span();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(PushObservationContext context) {
        return peers.of(context.peer()).values();
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(PushObservationContext context) {
        KeyValues details = context.details;
        if (details == null) {
            details = details(context);
            context.details = details;
        }
        return details;
    }

    private static KeyValues details(PushObservationContext context) {
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

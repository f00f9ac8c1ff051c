package io.tensorfabric.autoconfigure.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.tensorfabric.listener.TensorHandler;
import io.tensorfabric.observation.DefaultListenerObservationConvention;
import io.tensorfabric.observation.FabricObservation;
import io.tensorfabric.observation.ListenerObservationContext;
import io.tensorfabric.observation.ListenerObservationConvention;
import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.ReceivedTensor;
import org.jspecify.annotations.Nullable;

/** Calls a listener within an observation that goes on with the sender's trace. Thread-safe. */
final class ObservedHandler implements TensorHandler {

    private static final ListenerObservationConvention DEFAULT = new DefaultListenerObservationConvention();

    private final TensorHandler delegate;

    private final ObservationRegistry registry;

    private final @Nullable ListenerObservationConvention convention;

    ObservedHandler(
            TensorHandler delegate, ObservationRegistry registry, @Nullable ListenerObservationConvention convention) {
        this.delegate = delegate;
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public void handle(ReceivedTensor tensor, Acknowledgment acknowledgment) throws Exception {
        if (registry.isNoop()) {
            delegate.handle(tensor, acknowledgment);
            return;
        }
        Observation.CheckedRunnable<Exception> call = () -> delegate.handle(tensor, acknowledgment);
        FabricObservation.LISTENER
                .observation(convention, DEFAULT, () -> new ListenerObservationContext(tensor), registry)
                .observeChecked(call);
    }
}

package io.tensorfabric.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.ReceivedTensor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is known of a call of a listener. Its carrier are the headers of the tensor. Not thread-safe. */
public final class ListenerObservationContext extends ReceiverContext<Map<String, String>> {

    private final String peer;

    /** What the default convention made of it. */
    @Nullable KeyValues details;

    private final TensorDescriptor tensor;

    /**
     * A call that begins.
     *
     * @param received what the listener gets
     */
    public ListenerObservationContext(ReceivedTensor received) {
        super((carrier, key) -> carrier.get(key), Kind.CONSUMER);
        this.peer = received.peer();
        this.tensor = received.tensor().descriptor();
        setCarrier(received.headers());
        setRemoteServiceName(peer);
    }

    /** Name of the sender. */
    public String peer() {
        return peer;
    }

    /** What came. */
    public TensorDescriptor tensor() {
        return tensor;
    }
}

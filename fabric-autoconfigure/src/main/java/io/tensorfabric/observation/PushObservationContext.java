package io.tensorfabric.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.tensorfabric.tensor.TensorDescriptor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is known of a push. Its carrier are the headers, to which a tracer adds its own. Not thread-safe. */
public final class PushObservationContext extends SenderContext<Map<String, String>> {

    private final String peer;

    /** What the default convention made of it. */
    @Nullable KeyValues details;

    private final List<TensorDescriptor> tensors;

    /**
     * A push that begins.
     *
     * @param peer name of the peer
     * @param tensor what is pushed
     * @param headers headers that the caller gave
     */
    public PushObservationContext(String peer, TensorDescriptor tensor, Map<String, String> headers) {
        this(peer, List.of(tensor), headers);
    }

    /**
     * A push of several tensors that begins.
     *
     * @param peer name of the peer
     * @param tensors what is pushed, at least one
     * @param headers headers that the caller gave
     */
    public PushObservationContext(String peer, List<TensorDescriptor> tensors, Map<String, String> headers) {
        super(
                (carrier, key, value) -> {
                    if (carrier != null) {
                        carrier.put(key, value);
                    }
                },
                Kind.PRODUCER);
        this.peer = peer;
        this.tensors = List.copyOf(tensors);
        setCarrier(new LinkedHashMap<>(headers));
        setRemoteServiceName(peer);
    }

    /** Name of the peer. */
    public String peer() {
        return peer;
    }

    /** What is pushed, or the first of it. */
    public TensorDescriptor tensor() {
        return tensors.get(0);
    }

    /** All that is pushed. */
    public List<TensorDescriptor> tensors() {
        return tensors;
    }
}

package io.tensorfabric.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.tensorfabric.tensor.TensorDescriptor;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is known of a push. Its carrier are the headers, to which a tracer adds its own. Not thread-safe. */
public final class PushObservationContext extends SenderContext<Map<String, String>> {

    private final String peer;

    private final TensorDescriptor tensor;

    /**
     * A push that begins.
     *
     * @param peer name of the peer
     * @param tensor what is pushed
     * @param headers headers that the caller gave
     */
    public PushObservationContext(String peer, TensorDescriptor tensor, Map<String, String> headers) {
        super(
                (carrier, key, value) -> {
                    if (carrier != null) {
                        carrier.put(key, value);
                    }
                },
                Kind.PRODUCER);
        this.peer = peer;
        this.tensor = tensor;
        setCarrier(new LinkedHashMap<>(headers));
        setRemoteServiceName(peer);
    }

    /** Name of the peer. */
    public String peer() {
        return peer;
    }

    /** What is pushed. */
    public TensorDescriptor tensor() {
        return tensor;
    }
}

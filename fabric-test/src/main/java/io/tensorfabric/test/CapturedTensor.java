package io.tensorfabric.test;

import io.tensorfabric.tensor.Tensor;
import java.util.Map;

/**
 * A tensor that a test peer got.
 *
 * @param tensor a copy in host memory, open until the peer is reset
 * @param peer name of the sender
 * @param headers headers of the sender
 */
public record CapturedTensor(Tensor tensor, String peer, Map<String, String> headers) {

    public CapturedTensor {
        headers = Map.copyOf(headers);
    }

    /** Name of the tensor. */
    public String name() {
        return tensor.name();
    }
}

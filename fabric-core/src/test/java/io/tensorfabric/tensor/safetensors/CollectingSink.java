package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keeps every tensor of a stream, and frees them all at the end. */
final class CollectingSink implements TensorSink, AutoCloseable {

    final Map<String, Tensor> tensors = new LinkedHashMap<>();
    final List<String> completed = new ArrayList<>();

    @Override
    public long addressFor(SafetensorsEntry entry) {
        Tensor tensor = Tensor.allocate(entry.descriptor());
        tensors.put(entry.name(), tensor);
        return tensor.address();
    }

    @Override
    public void completed(SafetensorsEntry entry) {
        completed.add(entry.name());
    }

    @Override
    public void close() {
        tensors.values().forEach(Tensor::close);
    }
}

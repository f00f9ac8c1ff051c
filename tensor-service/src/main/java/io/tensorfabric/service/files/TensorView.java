package io.tensorfabric.service.files;

import io.tensorfabric.service.store.StoredTensor;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A tensor of a file.
 *
 * @param name name
 * @param dtype data type as safetensors writes it
 * @param shape dimensions, empty for a scalar
 * @param bytes payload bytes
 * @param memory where it lies, "host" or "cuda:N"
 * @param stored when it was uploaded or received
 */
record TensorView(String name, String dtype, List<Long> shape, long bytes, String memory, Instant stored) {

    static TensorView of(StoredTensor tensor) {
        var descriptor = tensor.descriptor();
        return new TensorView(
                descriptor.name(),
                descriptor.dataType().name(),
                LongStream.of(descriptor.shape().dims()).boxed().toList(),
                descriptor.byteLength(),
                tensor.kind().toString(),
                tensor.stored());
    }
}

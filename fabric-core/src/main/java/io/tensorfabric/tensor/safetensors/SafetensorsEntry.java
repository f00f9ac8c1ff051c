package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.tensor.TensorDescriptor;

/**
 * One tensor of a file.
 *
 * @param descriptor name, type and shape
 * @param begin of its bytes, counted from the end of the header
 * @param end of its bytes, exclusive
 */
public record SafetensorsEntry(TensorDescriptor descriptor, long begin, long end) {

    /** The tensor's name. */
    public String name() {
        return descriptor.name();
    }

    /** The size of its bytes. */
    public long byteLength() {
        return end - begin;
    }
}

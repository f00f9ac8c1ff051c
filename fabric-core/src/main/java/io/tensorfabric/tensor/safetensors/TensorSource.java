package io.tensorfabric.tensor.safetensors;

import java.io.IOException;

/** Where the bytes of a file's tensors come from. Called by the thread that writes, in the order of the file. */
@FunctionalInterface
public interface TensorSource {

    /**
     * Names the memory that holds a tensor's bytes. Not asked for empty tensors.
     *
     * @return address of {@link SafetensorsEntry#byteLength()} bytes, readable until the next call or the end
     * @throws IOException to stop writing
     */
    long addressOf(SafetensorsEntry entry) throws IOException;
}

package io.tensorfabric.tensor.safetensors;

import java.io.IOException;

/** Where the tensors of a stream go. Called by the thread that reads, tensor by tensor in the order of their bytes. */
public interface TensorSink {

    /** Returned by {@link #addressFor} for a tensor that is not wanted. */
    long SKIP = 0;

    /**
     * Names the memory for a tensor's bytes, before any of them was read. Not asked for empty tensors.
     *
     * @return address of {@link SafetensorsEntry#byteLength()} writable bytes, or {@link #SKIP} to pass over them
     * @throws IOException to stop reading
     */
    long addressFor(SafetensorsEntry entry) throws IOException;

    /**
     * Says that all bytes of a tensor are in place, also for empty and skipped ones. Whether the file is sound as a whole
     * is known when {@link SafetensorsStreamReader#readAll} returns, not before.
     *
     * @throws IOException to stop reading
     */
    void completed(SafetensorsEntry entry) throws IOException;
}

package io.tensorfabric.memory.cuda;

/**
 * Calls of the CUDA driver that JCuda does not bind. Found by {@link java.util.ServiceLoader}; without one there is no
 * dma-buf and no flush. The context of the memory is current for the calling thread. Implementations are thread-safe.
 */
public interface CudaExtensions {

    /** Whether the calls can be made, given that the driver is loaded. */
    boolean isAvailable();

    /**
     * {@code cuMemGetHandleForAddressRange} for a dma-buf.
     *
     * @param address first byte, a multiple of the host's page size
     * @param length bytes, a multiple of the host's page size
     * @return a file descriptor, which the caller closes with {@link #close}, or minus the driver's error
     */
    long exportDmaBuf(long address, long length);

    /** Closes a file descriptor of {@link #exportDmaBuf}. */
    void close(int fileDescriptor);

    /**
     * {@code cuFlushGPUDirectRDMAWrites} for the current context and the work of its own device.
     *
     * @return the driver's result, 0 for success
     */
    int flushWrites();
}

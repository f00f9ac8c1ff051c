package io.tensorfabric.memory.cuda;

/**
 * Memory of a GPU that belongs to another process of this host, open for copies by one GPU of this process. Close it after
 * the copies. Thread-safe.
 */
public final class GpuImport implements AutoCloseable {

    private final CudaIpcMemory memory;

    private final long address;

    GpuImport(CudaIpcMemory memory, long address) {
        this.memory = memory;
        this.address = address;
    }

    /** First byte, in this process. */
    public long address() {
        return address;
    }

    /** Closes it; may wait for work of the GPU. Further calls do nothing. */
    @Override
    public void close() {
        memory.close(this);
    }

    /** Leaves out the address. */
    @Override
    public String toString() {
        return "GpuImport[]";
    }
}

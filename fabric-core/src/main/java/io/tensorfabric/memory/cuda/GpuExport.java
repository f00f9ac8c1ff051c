package io.tensorfabric.memory.cuda;

import io.tensorfabric.memory.MemoryKind;

/**
 * Memory of a GPU that one process of the same host may open and write: an allocation of its own, since a handle opens the
 * whole of one, which holds nothing but zeros at first. Close it when that process has it open no more, and not before: what
 * the driver does else is not defined. Thread-safe.
 */
public final class GpuExport implements AutoCloseable {

    private final CudaIpcMemory memory;

    private final MemoryKind kind;

    private final long address;

    private final long length;

    private final byte[] handle;

    GpuExport(CudaIpcMemory memory, MemoryKind kind, long address, long length, byte[] handle) {
        this.memory = memory;
        this.kind = kind;
        this.address = address;
        this.length = length;
        this.handle = handle;
    }

    /** Kind of the memory. */
    public MemoryKind kind() {
        return kind;
    }

    /** First byte, in this process. */
    public long address() {
        return address;
    }

    /** Bytes, a multiple of 2 MiB. */
    public long length() {
        return length;
    }

    /** What opens it in another process: a secret, as a remote key is. */
    public byte[] handle() {
        return handle.clone();
    }

    /** Frees the memory. Further calls do nothing. */
    @Override
    public void close() {
        memory.free(this);
    }

    /** Leaves out address and handle. */
    @Override
    public String toString() {
        return "GpuExport[" + kind + ", length=" + length + "]";
    }
}

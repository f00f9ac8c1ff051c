package io.tensorfabric.memory.cuda;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import java.util.Set;

/** Stands for GPU memory that no verbs device reaches: it has no keys. */
final class UnregisteredRegion implements MemoryRegion {

    private final long address;

    private final long length;

    private volatile boolean closed;

    UnregisteredRegion(long address, long length) {
        this.address = address;
        this.length = length;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public Set<AccessFlag> access() {
        return Set.of();
    }

    @Override
    public int lkey() {
        throw noKeys();
    }

    @Override
    public int rkey() {
        throw noKeys();
    }

    private static IllegalStateException noKeys() {
        return new IllegalStateException("This GPU memory is not registered: transfers of it are staged");
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return "UnregisteredRegion[length=" + length + "]";
    }
}

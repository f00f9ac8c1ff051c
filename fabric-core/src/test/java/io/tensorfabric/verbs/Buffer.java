package io.tensorfabric.verbs;

import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.offheap.OffHeap;
import java.util.Random;

/** Registered memory of a test with its content. */
final class Buffer implements AutoCloseable {

    private final long address;
    private final int length;
    private final MemoryRegion region;
    private final MemoryProvider provider;

    Buffer(MemoryProvider provider, long address, int length, MemoryRegion region) {
        this.provider = provider;
        this.address = address;
        this.length = length;
        this.region = region;
    }

    MemoryRegion region() {
        return region;
    }

    long address() {
        return address;
    }

    int length() {
        return length;
    }

    Slice all() {
        return slice(0, length);
    }

    Slice slice(int offset, int bytes) {
        return new Slice(address + offset, bytes, region.lkey(), region.rkey());
    }

    /** Random content that a seed determines. */
    Buffer fill(long seed) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return put(0, content);
    }

    Buffer fillWith(int value) {
        OffHeap.fill(address, length, (byte) value);
        return this;
    }

    Buffer put(int offset, byte[] content) {
        OffHeap.copyFromArray(content, 0, address + offset, content.length);
        return this;
    }

    byte[] bytes() {
        return bytes(0, length);
    }

    byte[] bytes(int offset, int count) {
        byte[] copy = new byte[count];
        OffHeap.copyToArray(address + offset, copy, 0, count);
        return copy;
    }

    boolean contains(int offset, int count, int value) {
        for (byte b : bytes(offset, count)) {
            if (b != (byte) value) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        region.close();
        provider.free(address);
    }
}

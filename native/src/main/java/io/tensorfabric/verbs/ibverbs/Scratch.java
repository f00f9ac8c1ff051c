package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.offheap.OffHeap;
import java.nio.charset.StandardCharsets;

/** Zeroed native memory for the structure of one call that is not on the hot path. */
final class Scratch implements AutoCloseable {

    private static final int ALIGNMENT = 16;

    private final long base;

    private final int size;

    Scratch(int size) {
        this.size = size;
        this.base = OffHeap.allocate(size, ALIGNMENT);
        OffHeap.fill(base, size, (byte) 0);
    }

    long address() {
        return base;
    }

    int size() {
        return size;
    }

    int getInt(int offset) {
        return OffHeap.getInt(base + offset);
    }

    long getLong(int offset) {
        return OffHeap.getLong(base + offset);
    }

    void putInt(int offset, int value) {
        OffHeap.putInt(base + offset, value);
    }

    byte[] getBytes(int offset, int length) {
        byte[] bytes = new byte[length];
        OffHeap.copyToArray(base + offset, bytes, 0, length);
        return bytes;
    }

    void putBytes(int offset, byte[] bytes) {
        OffHeap.copyFromArray(bytes, 0, base + offset, bytes.length);
    }

    /** Text up to the first zero byte. */
    String getText(int offset, int length) {
        byte[] bytes = getBytes(offset, length);
        int end = 0;
        while (end < length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        OffHeap.free(base);
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Buffers over any memory without allocating one for each use: it keeps one buffer over the two gigabytes around the
 * last address. Not thread-safe; a buffer is valid until the next call.
 */
final class MemoryView {

    private static final long STEP = 1L << 30;

    /** JDK 22 and later wrap no more, see {@code AbstractMemorySegmentImpl.checkArraySize}. */
    private static final int WINDOW = Integer.MAX_VALUE - 8;

    private long base;

    private @Nullable ByteBuffer window;

    /** The bytes of a range of at most {@link #STEP} bytes. */
    ByteBuffer of(long address, int length) {
        ByteBuffer buffer = window;
        long offset = address - base;
        if (buffer == null || offset < 0 || offset > STEP) {
            base = address & -STEP;
            offset = address - base;
            buffer = OffHeap.asByteBuffer(base, WINDOW);
            window = buffer;
        }
        return buffer.clear().limit((int) offset + length).position((int) offset);
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Buffers over any memory without allocating one for each use: it keeps a few buffers, each over two gigabytes around an
 * address that was used. Not thread-safe; a buffer is valid until the next call.
 */
final class MemoryView {

    private static final int SHIFT = 30;

    private static final long STEP = 1L << SHIFT;

    /** JDK 22 and later wrap no more, see {@code AbstractMemorySegmentImpl.checkArraySize}. */
    private static final int WINDOW = Integer.MAX_VALUE - 8;

    /** Payload, messages and rings lie in different gigabytes, and take turns. */
    private static final int KEPT = 8;

    private final long[] bases = new long[KEPT];

    private final @Nullable ByteBuffer[] windows = new ByteBuffer[KEPT];

    /** The bytes of a range of at most {@link #STEP} bytes. */
    ByteBuffer of(long address, int length) {
        long base = address & -STEP;
        int place = (int) (base >>> SHIFT) & (KEPT - 1);
        ByteBuffer buffer = windows[place];
        if (buffer == null || bases[place] != base) {
            buffer = OffHeap.asByteBuffer(base, WINDOW);
            bases[place] = base;
            windows[place] = buffer;
        }
        int offset = (int) (address - base);
        return buffer.clear().limit(offset + length).position(offset);
    }
}

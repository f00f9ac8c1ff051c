package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.offheap.SharedBlock;
import io.tensorfabric.verbs.SendRequests;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One piece of memory, opened for one copy: checks keys, bounds and rights, holds the grants until {@link #release()},
 * and offers the bytes as buffers for gathering and scattering. Not thread-safe.
 */
final class MemoryAccess {

    private static final int MAX = SendRequests.MAX_ELEMENTS;

    /** Room before and after the views for a buffer of the caller's. */
    private final @Nullable ByteBuffer[] buffers = new ByteBuffer[MAX + 2];

    private final MemoryView[] views = new MemoryView[MAX];

    private final @Nullable Grant[] held = new Grant[MAX];

    private final long[] starts = new long[MAX];

    private final KeyTable keys;

    private int count;

    MemoryAccess(KeyTable keys) {
        this.keys = keys;
        for (int i = 0; i < MAX; i++) {
            views[i] = new MemoryView();
        }
    }

    /** Sum of the lengths of scatter-gather elements, each an unsigned int. */
    static long totalLength(long elements, int elementCount) {
        long total = 0;
        for (int i = 0; i < elementCount; i++) {
            total += Integer.toUnsignedLong(OffHeap.getInt(element(elements, i) + 8));
        }
        return total;
    }

    private static long element(long elements, int index) {
        return elements + (long) index * SendRequests.ELEMENT_STRIDE;
    }

    /** Whether a queue pair may use the whole of each element that is not empty. */
    boolean permitsLocal(long elements, int elementCount, Object domain, Object queuePair, int rights) {
        for (int i = 0; i < elementCount; i++) {
            long element = element(elements, i);
            long length = Integer.toUnsignedLong(OffHeap.getInt(element + 8));
            if (length > 0) {
                Grant grant = keys.find(OffHeap.getInt(element + 12), false);
                if (grant == null
                        || !grant.permits(domain, queuePair, rights)
                        || !grant.covers(OffHeap.getLong(element), length)) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Opens the bytes from {@code offset} on of a scatter-gather list that was checked before.
     *
     * @param inline whether the memory is the device's own, so that keys do not matter
     * @return {@code false} when a region is gone; nothing is held then
     */
    boolean openLocal(long elements, int elementCount, long offset, int length, boolean inline) {
        release();
        long skip = offset;
        int left = length;
        for (int i = 0; i < elementCount && left > 0; i++) {
            long element = element(elements, i);
            long size = Integer.toUnsignedLong(OffHeap.getInt(element + 8));
            if (skip >= size) {
                skip -= size;
                continue;
            }
            int part = (int) Math.min(left, size - skip);
            Grant grant = inline ? null : keys.find(OffHeap.getInt(element + 12), false);
            if (!inline && (grant == null || !grant.enter())) {
                release();
                return false;
            }
            add(grant, OffHeap.getLong(element) + skip, part);
            left -= part;
            skip = 0;
        }
        return true;
    }

    /** Opens bytes of a grant that was checked before; {@code false} when it was revoked. */
    boolean openRemote(Grant grant, long address, int length) {
        release();
        if (!grant.enter()) {
            return false;
        }
        add(grant, address, length);
        return true;
    }

    private void add(@Nullable Grant grant, long address, int length) {
        long start = grant == null ? address : grant.locate(address);
        held[count] = grant;
        starts[count] = start;
        buffers[1 + count] = views[count].of(start, length);
        count++;
    }

    /** Copies from a buffer into the opened bytes, as many as both have. */
    int fillFrom(ByteBuffer source) {
        int start = source.position();
        int end = source.limit();
        for (int i = 0; i < count && source.hasRemaining(); i++) {
            ByteBuffer view = view(i);
            source.limit(Math.min(end, source.position() + view.remaining()));
            view.put(source);
            source.limit(end);
        }
        return source.position() - start;
    }

    /** Copies from memory into all the opened bytes. */
    void fillFrom(long source) {
        long from = source;
        for (int i = 0; i < count; i++) {
            int length = view(i).remaining();
            OffHeap.copy(from, starts[i], length);
            from += length;
        }
    }

    /** The shared block in which all opened bytes lie one after the other, if that is so. */
    @Nullable SharedBlock sharedBlock() {
        return count == 1 && held[0] instanceof Region region ? region.shared() : null;
    }

    /** Where the first opened byte is. */
    long start() {
        return starts[0];
    }

    /** Copies the opened bytes to a buffer with room for them. */
    void drainTo(ByteBuffer target) {
        for (int i = 0; i < count; i++) {
            target.put(view(i));
        }
    }

    private ByteBuffer view(int index) {
        ByteBuffer view = buffers[1 + index];
        if (view == null) {
            throw new IllegalStateException("No memory is open");
        }
        return view;
    }

    /** The array for gathering: {@code lead} at index 0, then the views. */
    ByteBuffer[] gatherAfter(ByteBuffer lead) {
        buffers[0] = lead;
        return array();
    }

    /** The array for scattering: the views from index 1 on, then {@code tail}. */
    ByteBuffer[] scatterBefore(ByteBuffer tail) {
        buffers[1 + count] = tail;
        return array();
    }

    @SuppressWarnings("NullAway") // Only the filled part of the array is used.
    private ByteBuffer[] array() {
        return buffers;
    }

    /** Number of views. */
    int count() {
        return count;
    }

    /** Bytes of the views that are left. */
    int remaining() {
        int left = 0;
        for (int i = 0; i < count; i++) {
            left += view(i).remaining();
        }
        return left;
    }

    /** Lets go of the memory. */
    void release() {
        for (int i = 0; i < count; i++) {
            Grant grant = held[i];
            if (grant != null) {
                grant.exit();
                held[i] = null;
            }
        }
        count = 0;
    }
}

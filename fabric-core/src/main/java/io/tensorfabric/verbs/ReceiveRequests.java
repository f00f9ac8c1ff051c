package io.tensorfabric.verbs;

import io.tensorfabric.offheap.OffHeap;

/**
 * A list of receive work requests, packed as {@link SendRequests} is. The layout of one request, native byte order:
 *
 * <pre>
 * offset size field
 *      0    8 wr_id
 *      8    4 num_sge
 *     12    4 reserved, 0
 *     16   64 sge[0] .. sge[3]  addr (8), length (4), lkey (4)
 * </pre>
 *
 * <p>Not thread-safe. Owns its memory: close it after the last post returned.
 */
public final class ReceiveRequests implements AutoCloseable {

    /** Bytes of one request. */
    public static final int STRIDE = 80;

    /** Scatter-gather elements of one request. */
    public static final int MAX_ELEMENTS = 4;

    public static final int OFFSET_ID = 0;
    public static final int OFFSET_ELEMENT_COUNT = 8;
    public static final int OFFSET_ELEMENTS = 16;

    private static final int ALIGNMENT = 64;

    private final int capacity;

    private long base;

    private long current;

    private int size;

    private ReceiveRequests(int capacity) {
        this.capacity = capacity;
        this.base = OffHeap.allocate((long) capacity * STRIDE, ALIGNMENT);
        this.current = base;
    }

    /** A list with room for {@code capacity} requests, at least 1. */
    public static ReceiveRequests allocate(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("A request list needs room for at least 1, not " + capacity);
        }
        return new ReceiveRequests(capacity);
    }

    /** Most requests that it holds. */
    public int capacity() {
        return capacity;
    }

    /** Requests added since {@link #clear()}. */
    public int size() {
        return size;
    }

    /** Address of the first request, for providers. */
    public long address() {
        return checkOpen();
    }

    /** Forgets all requests. */
    public ReceiveRequests clear() {
        checkOpen();
        size = 0;
        return this;
    }

    /**
     * Opens the next request, without elements.
     *
     * @throws IllegalStateException if the list is full
     */
    public ReceiveRequests add(long id) {
        checkOpen();
        if (size == capacity) {
            throw new IllegalStateException("The request list is full: " + capacity);
        }
        current = base + (long) size * STRIDE;
        size++;
        OffHeap.putLong(current + OFFSET_ID, id);
        // By single writes, see SendRequests.
        for (int offset = OFFSET_ELEMENT_COUNT; offset < STRIDE; offset += Long.BYTES) {
            OffHeap.putLong(current + offset, 0);
        }
        return this;
    }

    /**
     * Adds a scatter-gather element to the open request.
     *
     * @param length bytes, as an unsigned int
     * @throws IllegalStateException if the request has {@link #MAX_ELEMENTS} already
     */
    public ReceiveRequests local(long address, int length, int lkey) {
        long request = request();
        int count = OffHeap.getInt(request + OFFSET_ELEMENT_COUNT);
        if (count == MAX_ELEMENTS) {
            throw new IllegalStateException("A request has at most " + MAX_ELEMENTS + " elements");
        }
        long element = request + OFFSET_ELEMENTS + (long) count * SendRequests.ELEMENT_STRIDE;
        OffHeap.putLong(element, address);
        OffHeap.putInt(element + 8, length);
        OffHeap.putInt(element + 12, lkey);
        OffHeap.putInt(request + OFFSET_ELEMENT_COUNT, count + 1);
        return this;
    }

    private long request() {
        if (size == 0) {
            throw new IllegalStateException("No request is open: add one first");
        }
        return current;
    }

    private long checkOpen() {
        if (base == 0) {
            throw new IllegalStateException("The request list is closed");
        }
        return base;
    }

    @Override
    public void close() {
        if (base != 0) {
            OffHeap.free(base);
            base = 0;
            size = 0;
        }
    }
}

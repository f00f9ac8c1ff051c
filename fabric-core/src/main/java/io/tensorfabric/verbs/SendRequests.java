package io.tensorfabric.verbs;

import io.tensorfabric.offheap.OffHeap;

/**
 * A list of send work requests, packed into native memory so that a provider takes them all in one call. A flyweight:
 * {@link #add} opens the next request and the setters write to it. Native byte order; the layout of one request:
 *
 * <pre>
 * offset size field
 *      0    8 wr_id
 *      8    4 opcode            {@link Opcode#code()}
 *     12    4 send_flags        {@link SendFlag}
 *     16    4 imm_data          host order, or the rkey to invalidate
 *     20    4 num_sge
 *     24    8 remote_addr
 *     32    4 rkey
 *     36    4 reserved, 0
 *     40   16 sge[0]            addr (8), length (4), lkey (4)
 *     56   48 sge[1] .. sge[3]
 *    104   24 reserved, 0
 * a bind (BIND_MW) uses the room of the elements instead:
 *     40    8 memory window     {@link MemoryWindow#handle()}
 *     48    8 addr
 *     56    8 length
 *     64    4 lkey of the memory region
 *     68    4 new rkey
 *     72    4 access            {@link AccessFlag#mask}
 *     80    8 memory region     {@link MemoryRegion#handle()}
 * </pre>
 *
 * <p>Not thread-safe. Owns its memory: close it after the last post returned.
 */
public final class SendRequests implements AutoCloseable {

    /** Bytes of one request. */
    public static final int STRIDE = 128;

    /** Scatter-gather elements of one request. */
    public static final int MAX_ELEMENTS = 4;

    public static final int OFFSET_ID = 0;
    public static final int OFFSET_OPCODE = 8;
    public static final int OFFSET_FLAGS = 12;
    public static final int OFFSET_IMMEDIATE = 16;
    public static final int OFFSET_ELEMENT_COUNT = 20;
    public static final int OFFSET_REMOTE_ADDRESS = 24;
    public static final int OFFSET_RKEY = 32;
    public static final int OFFSET_ELEMENTS = 40;
    public static final int OFFSET_BIND_WINDOW = 40;
    public static final int OFFSET_BIND_ADDRESS = 48;
    public static final int OFFSET_BIND_LENGTH = 56;
    public static final int OFFSET_BIND_LKEY = 64;
    public static final int OFFSET_BIND_RKEY = 68;
    public static final int OFFSET_BIND_ACCESS = 72;
    public static final int OFFSET_BIND_REGION = 80;

    /** Bytes of one scatter-gather element: addr (8), length (4), lkey (4). */
    public static final int ELEMENT_STRIDE = 16;

    private static final int ALIGNMENT = 64;

    private final int capacity;

    private long base;

    private long current;

    private int size;

    private SendRequests(int capacity) {
        this.capacity = capacity;
        this.base = OffHeap.allocate((long) capacity * STRIDE, ALIGNMENT);
        this.current = base;
    }

    /** A list with room for {@code capacity} requests, at least 1. */
    public static SendRequests allocate(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("A request list needs room for at least 1, not " + capacity);
        }
        return new SendRequests(capacity);
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
    public SendRequests clear() {
        checkOpen();
        size = 0;
        return this;
    }

    /**
     * Opens the next request with no flags, elements or remote side.
     *
     * @throws IllegalStateException if the list is full
     */
    public SendRequests add(long id, Opcode opcode) {
        checkOpen();
        if (size == capacity) {
            throw new IllegalStateException("The request list is full: " + capacity);
        }
        current = base + (long) size * STRIDE;
        size++;
        OffHeap.putLong(current + OFFSET_ID, id);
        OffHeap.putInt(current + OFFSET_OPCODE, opcode.code());
        OffHeap.putInt(current + OFFSET_FLAGS, 0);
        // By single writes: filling memory leaves Java, which takes longer than all the rest.
        for (int offset = OFFSET_IMMEDIATE; offset < STRIDE; offset += Long.BYTES) {
            OffHeap.putLong(current + offset, 0);
        }
        return this;
    }

    /** Sets {@link SendFlag}s of the open request. */
    public SendRequests flags(int flags) {
        OffHeap.putInt(request() + OFFSET_FLAGS, flags);
        return this;
    }

    /** Sets the immediate of the open request. */
    public SendRequests immediate(int immediate) {
        OffHeap.putInt(request() + OFFSET_IMMEDIATE, immediate);
        return this;
    }

    /** Sets the remote side of the open request; for {@link Opcode#LOCAL_INV} the key alone counts. */
    public SendRequests remote(long address, int rkey) {
        long request = request();
        OffHeap.putLong(request + OFFSET_REMOTE_ADDRESS, address);
        OffHeap.putInt(request + OFFSET_RKEY, rkey);
        return this;
    }

    /**
     * Adds a scatter-gather element to the open request.
     *
     * @param length bytes, as an unsigned int, so up to 4 GiB less one; the port's largest message may be less
     * @throws IllegalStateException if the request has {@link #MAX_ELEMENTS} already
     */
    public SendRequests local(long address, int length, int lkey) {
        long request = request();
        int count = OffHeap.getInt(request + OFFSET_ELEMENT_COUNT);
        if (count == MAX_ELEMENTS) {
            throw new IllegalStateException("A request has at most " + MAX_ELEMENTS + " elements");
        }
        long element = request + OFFSET_ELEMENTS + (long) count * ELEMENT_STRIDE;
        OffHeap.putLong(element, address);
        OffHeap.putInt(element + 8, length);
        OffHeap.putInt(element + 12, lkey);
        OffHeap.putInt(request + OFFSET_ELEMENT_COUNT, count + 1);
        return this;
    }

    /**
     * Fills in an open {@link Opcode#BIND_MW} request.
     *
     * @param window window to bind
     * @param region region below it, registered with {@link AccessFlag#MEMORY_WINDOW_BIND}
     * @param address first byte of the window
     * @param length bytes
     * @param rkey key that the window gets, see {@link MemoryWindow#nextRkey()}
     * @param access {@link AccessFlag#mask} of the remote rights
     */
    public SendRequests bindWindow(
            MemoryWindow window, MemoryRegion region, long address, long length, int rkey, int access) {
        long request = request();
        OffHeap.putLong(request + OFFSET_BIND_WINDOW, window.handle());
        OffHeap.putLong(request + OFFSET_BIND_ADDRESS, address);
        OffHeap.putLong(request + OFFSET_BIND_LENGTH, length);
        OffHeap.putInt(request + OFFSET_BIND_LKEY, region.lkey());
        OffHeap.putInt(request + OFFSET_BIND_RKEY, rkey);
        OffHeap.putInt(request + OFFSET_BIND_ACCESS, access);
        OffHeap.putLong(request + OFFSET_BIND_REGION, region.handle());
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

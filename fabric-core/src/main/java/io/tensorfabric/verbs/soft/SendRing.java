package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.SendRequests;

/**
 * The memory of a send queue: copies of the packed work requests, with the engine's own notes in their reserved bytes,
 * and room for inline data. Guarded by the queue pair's send lock.
 */
final class SendRing {

    /** Note: 1 when the request needs nothing more but its turn to complete. */
    private static final int OFFSET_DONE = 36;

    /** Note: number of the message on the wire. */
    private static final int OFFSET_SEQUENCE = 104;

    /** Note: bytes of the message. */
    private static final int OFFSET_TOTAL = 112;

    /** Note: {@link System#nanoTime()} before which a fault keeps it back, 0 for none. */
    private static final int OFFSET_NOT_BEFORE = 120;

    private final int capacity;

    private final int maxInline;

    private final long memory;

    private final long inlineMemory;

    SendRing(int capacity, int maxInline) {
        this.capacity = capacity;
        this.maxInline = maxInline;
        this.memory = OffHeap.allocate((long) Math.max(1, capacity) * SendRequests.STRIDE, 64);
        this.inlineMemory = OffHeap.allocate((long) Math.max(1, capacity) * maxInline, 64);
    }

    int capacity() {
        return capacity;
    }

    /** Address of a request by its running number. */
    long slot(long index) {
        return memory + (index % capacity) * SendRequests.STRIDE;
    }

    /** Takes a copy of a request, and of its data when it is inline. */
    void copyIn(long index, long request, long notBefore) {
        long slot = slot(index);
        OffHeap.copy(request, slot, SendRequests.STRIDE);
        OffHeap.putInt(slot + OFFSET_DONE, 0);
        OffHeap.putLong(slot + OFFSET_TOTAL, MemoryAccess.totalLength(elements(slot), elementCount(slot)));
        OffHeap.putLong(slot + OFFSET_NOT_BEFORE, notBefore);
        if (isInline(slot)) {
            copyInline(slot, inlineMemory + (index % capacity) * maxInline);
        }
    }

    private void copyInline(long slot, long target) {
        long end = target;
        int count = elementCount(slot);
        for (int i = 0; i < count; i++) {
            long element = elements(slot) + (long) i * SendRequests.ELEMENT_STRIDE;
            int length = OffHeap.getInt(element + 8);
            OffHeap.copy(OffHeap.getLong(element), end, length);
            end += length;
        }
        OffHeap.putInt(slot + SendRequests.OFFSET_ELEMENT_COUNT, 1);
        OffHeap.putLong(elements(slot), target);
        OffHeap.putInt(elements(slot) + 8, (int) (end - target));
    }

    static long id(long slot) {
        return OffHeap.getLong(slot + SendRequests.OFFSET_ID);
    }

    static int opcode(long slot) {
        return OffHeap.getInt(slot + SendRequests.OFFSET_OPCODE);
    }

    static int flags(long slot) {
        return OffHeap.getInt(slot + SendRequests.OFFSET_FLAGS);
    }

    static boolean has(long slot, int flag) {
        return (flags(slot) & flag) != 0;
    }

    static boolean isInline(long slot) {
        return has(slot, SendFlag.INLINE);
    }

    static int immediate(long slot) {
        return OffHeap.getInt(slot + SendRequests.OFFSET_IMMEDIATE);
    }

    static int elementCount(long slot) {
        return OffHeap.getInt(slot + SendRequests.OFFSET_ELEMENT_COUNT);
    }

    static long elements(long slot) {
        return slot + SendRequests.OFFSET_ELEMENTS;
    }

    static long remoteAddress(long slot) {
        return OffHeap.getLong(slot + SendRequests.OFFSET_REMOTE_ADDRESS);
    }

    static int rkey(long slot) {
        return OffHeap.getInt(slot + SendRequests.OFFSET_RKEY);
    }

    static boolean isDone(long slot) {
        return OffHeap.getInt(slot + OFFSET_DONE) != 0;
    }

    static void markDone(long slot) {
        OffHeap.putInt(slot + OFFSET_DONE, 1);
    }

    static long sequence(long slot) {
        return OffHeap.getLong(slot + OFFSET_SEQUENCE);
    }

    static void sequence(long slot, long value) {
        OffHeap.putLong(slot + OFFSET_SEQUENCE, value);
    }

    static long total(long slot) {
        return OffHeap.getLong(slot + OFFSET_TOTAL);
    }

    static long notBefore(long slot) {
        return OffHeap.getLong(slot + OFFSET_NOT_BEFORE);
    }

    void free() {
        OffHeap.free(memory);
        OffHeap.free(inlineMemory);
    }
}

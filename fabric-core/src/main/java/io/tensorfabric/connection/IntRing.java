package io.tensorfabric.connection;

import java.util.concurrent.atomic.AtomicInteger;

/** A bounded queue of ints for one producing and one consuming thread at a time. Allocates nothing, never blocks. */
final class IntRing {

    private final int[] values;

    private final int mask;

    private final AtomicInteger head = new AtomicInteger();

    private final AtomicInteger tail = new AtomicInteger();

    /** A ring that holds the numbers from 0 to {@code count - 1}. */
    static IntRing filled(int count) {
        IntRing ring = new IntRing(count);
        for (int i = 0; i < count; i++) {
            ring.offer(i);
        }
        return ring;
    }

    private IntRing(int capacity) {
        int size = Integer.highestOneBit(Math.max(1, capacity - 1)) << 1;
        this.values = new int[size];
        this.mask = size - 1;
    }

    /** Adds a value; the caller knows that there is room. */
    void offer(int value) {
        int at = tail.get();
        values[at & mask] = value;
        tail.set(at + 1);
    }

    int size() {
        return tail.get() - head.get();
    }

    /** The oldest value, which stays, or -1 if there is none. Only for the consumer. */
    int peek() {
        int at = head.get();
        return at == tail.get() ? -1 : values[at & mask];
    }

    /** Takes the oldest value, or -1 if there is none. */
    int poll() {
        int at = head.get();
        if (at == tail.get()) {
            return -1;
        }
        int value = values[at & mask];
        head.set(at + 1);
        return value;
    }
}

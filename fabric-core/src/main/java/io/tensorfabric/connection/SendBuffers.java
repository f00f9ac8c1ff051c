package io.tensorfabric.connection;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.offheap.OffHeap;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Registered slots in which a lane's messages wait for the device. Taken under the lane's lock, given back by the poller.
 * Owns its lease.
 */
final class SendBuffers {

    private final BufferLease lease;

    private final ByteBuffer[] slots;

    private final ByteBuffer[] bodies;

    private final IntRing free;

    SendBuffers(BufferLease lease, int count) {
        this.lease = lease;
        this.slots = new ByteBuffer[count];
        this.bodies = new ByteBuffer[count];
        this.free = IntRing.filled(count);
        for (int i = 0; i < count; i++) {
            slots[i] = OffHeap.asByteBuffer(address(i), MessageHeader.SLOT).order(ByteOrder.LITTLE_ENDIAN);
            bodies[i] =
                    slots[i].slice(MessageHeader.SIZE, Transmission.MAX_BODY).order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    int available() {
        return free.size();
    }

    /** The slot that {@link #take} will take; only under the lane's lock. */
    int next() {
        return free.peek();
    }

    /** Takes the slot that {@link #next} told; only under the lane's lock. */
    void take() {
        free.poll();
    }

    void giveBack(int slot) {
        free.offer(slot);
    }

    long address(int slot) {
        return lease.address() + (long) slot * MessageHeader.SLOT;
    }

    int lkey() {
        return lease.region().lkey();
    }

    /** The whole slot, header included. */
    ByteBuffer slot(int slot) {
        return slots[slot];
    }

    /** The body, emptied. */
    ByteBuffer body(int slot) {
        return bodies[slot].clear();
    }

    /** Bytes that were put into the body. */
    int bodyLength(int slot) {
        return bodies[slot].position();
    }

    /** Gives the memory back; the device must be done with it. */
    void close() {
        lease.close();
    }
}

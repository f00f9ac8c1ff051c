package io.tensorfabric.connection;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * What a lane knows of each transmission that the device has. Preallocated: a transmission takes a slot under the lane's
 * lock, its end gives it back. Whoever moves a slot from POSTED to FREE tells its listener, so that each is told once.
 */
final class SendSlots {

    private static final int FREE = 0;

    private static final int POSTED = 1;

    private final AtomicIntegerArray states;
    private final @Nullable TransmissionListener[] listeners;
    private final long[] tokens;
    private final int[] requests;
    private final int[] buffers;
    private final int[] errors;
    private final int[] vendorErrors;
    private final boolean[] internal;
    private final IntRing free;
    private final AtomicInteger userSlots = new AtomicInteger();

    SendSlots(int count) {
        this.states = new AtomicIntegerArray(count);
        this.listeners = new TransmissionListener[count];
        this.tokens = new long[count];
        this.requests = new int[count];
        this.buffers = new int[count];
        this.errors = new int[count];
        this.vendorErrors = new int[count];
        this.internal = new boolean[count];
        this.free = IntRing.filled(count);
    }

    int count() {
        return tokens.length;
    }

    /** The slot that {@link #post} will take: there is one for each work request that has room. Under the lane's lock. */
    int next() {
        int slot = free.peek();
        if (slot < 0) {
            throw new IllegalStateException("No slot for a transmission that has room");
        }
        return slot;
    }

    /** Gives back the slot of an ended transmission. */
    void giveBack(int slot) {
        free.offer(slot);
    }

    /** Takes and fills the slot that {@link #next} told; must be called before the work is posted. Under the lane's lock. */
    void post(TransmissionListener listener, long token, int requestCount, int buffer, boolean forItself) {
        int slot = free.poll();
        listeners[slot] = listener;
        tokens[slot] = token;
        requests[slot] = requestCount;
        buffers[slot] = buffer;
        errors[slot] = 0;
        vendorErrors[slot] = 0;
        internal[slot] = forItself;
        if (!forItself) {
            userSlots.incrementAndGet();
        }
        states.set(slot, POSTED);
    }

    boolean isPosted(int slot) {
        return states.get(slot) == POSTED;
    }

    /** Keeps the first error of a transmission. */
    void noteError(int slot, int status, int vendorError) {
        if (errors[slot] == 0) {
            errors[slot] = status;
            vendorErrors[slot] = vendorError;
        }
    }

    int error(int slot) {
        return errors[slot];
    }

    int vendorError(int slot) {
        return vendorErrors[slot];
    }

    int requests(int slot) {
        return requests[slot];
    }

    /** Send buffer of the slot, or -1. */
    int buffer(int slot) {
        return buffers[slot];
    }

    long token(int slot) {
        return tokens[slot];
    }

    boolean isInternal(int slot) {
        return internal[slot];
    }

    /** Ends a transmission; {@code null} if somebody else did. The slot stays taken until {@link #giveBack}. */
    @Nullable TransmissionListener end(int slot) {
        TransmissionListener listener = listeners[slot];
        if (!states.compareAndSet(slot, POSTED, FREE)) {
            return null;
        }
        listeners[slot] = null;
        if (!internal[slot]) {
            userSlots.decrementAndGet();
        }
        return listener;
    }

    /** Transmissions of users that have not ended. */
    int userTransmissions() {
        return userSlots.get();
    }
}

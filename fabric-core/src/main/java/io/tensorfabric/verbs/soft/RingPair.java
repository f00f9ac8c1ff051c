package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeapAllocationException;
import io.tensorfabric.offheap.SharedBlock;
import io.tensorfabric.offheap.SharedMemory;
import io.tensorfabric.offheap.SharedView;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The two rings of one connection, requests one way and answers the other, in a block of memory of their own: nothing else
 * is in it, and no other peer ever sees it.
 */
final class RingPair {

    /** Enough for what a reader takes to wake up. */
    private static final int CAPACITY = 256 * 1024;

    private static final int DATA = 4096;

    /** Bytes of the block. */
    static final int BYTES = DATA + 2 * CAPACITY;

    private final ByteRing requests;

    private final ByteRing answers;

    private final @Nullable SharedBlock block;

    private final Runnable release;

    private RingPair(long address, @Nullable SharedBlock block, Runnable release) {
        this.requests = new ByteRing(address, address + DATA, CAPACITY);
        this.answers = new ByteRing(address + ByteRing.CONTROL, address + DATA + CAPACITY, CAPACITY);
        this.block = block;
        this.release = release;
    }

    /** Makes the rings, for the requester; {@code null} if there is no such memory. */
    static @Nullable RingPair make() {
        long address;
        try {
            address = SharedMemory.allocate(BYTES, 1);
        } catch (OffHeapAllocationException e) {
            return null;
        }
        return new RingPair(address, SharedMemory.find(address, BYTES), () -> SharedMemory.free(address));
    }

    /** Maps the rings of a requester, for the responder. */
    static RingPair open(long process, int descriptor, long bytes, byte[] token) throws IOException {
        if (bytes < BYTES) {
            throw new IOException("The rings of a connection are larger than this block");
        }
        SharedView view = SharedView.openToWrite(process, descriptor, bytes, token);
        return new RingPair(view.address(), null, view::close);
    }

    /** What the peer maps; {@code null} at the peer itself. */
    @Nullable SharedBlock block() {
        return block;
    }

    ByteRing requests() {
        return requests;
    }

    ByteRing answers() {
        return answers;
    }

    /** Gives the memory back, which no end may touch any more. */
    void close() {
        release.run();
    }
}

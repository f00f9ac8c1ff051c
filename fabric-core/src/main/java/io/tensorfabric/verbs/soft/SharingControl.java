package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.offheap.OffHeapAllocationException;
import io.tensorfabric.offheap.SharedBlock;
import io.tensorfabric.offheap.SharedMemory;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Words by which the requesters of a device tell responders, without a message, that memory may no longer be read. A
 * responder looks at its connection's word after it has copied: if it still has the value that was announced, the memory
 * was still the message's at that time. Thread-safe.
 */
final class SharingControl {

    /** Enough for the queue pairs of some thousand peers; further ones send bytes through their sockets. */
    static final int BYTES = 64 * 1024;

    private final ArrayDeque<Integer> unused = new ArrayDeque<>();

    private @Nullable SharedBlock block;

    private boolean unavailable;

    private long generations;

    /**
     * A word.
     *
     * @param block where it lies
     * @param offset in the block's file
     * @param generation its value while memory may be read
     */
    record Word(SharedBlock block, int offset, long generation) {

        private void set(long value) {
            OffHeap.putLong(block.address() + offset, value);
            VarHandle.fullFence();
        }
    }

    /** A word for a new connection; {@code null} when there is none. */
    synchronized @Nullable Word take() {
        SharedBlock present = block;
        if (present == null) {
            present = make();
        }
        Integer slot = unused.poll();
        if (present == null || slot == null) {
            return null;
        }
        Word word = new Word(present, slot * Long.BYTES, ++generations);
        word.set(word.generation());
        return word;
    }

    private @Nullable SharedBlock make() {
        if (unavailable) {
            return null;
        }
        try {
            long address = SharedMemory.allocate(BYTES, OffHeap.pageSize());
            block = SharedMemory.find(address, BYTES);
        } catch (OffHeapAllocationException e) {
            // Whoever made the memory that could be shared has told why there is no more.
            unavailable = true;
        }
        for (int i = 0; i < BYTES / Long.BYTES; i++) {
            unused.add(i);
        }
        return block;
    }

    /** Memory may no longer be read: what is written to it from now on, no reader takes for its content. */
    synchronized void revoke(Word word) {
        if (block != null) {
            word.set(0);
            unused.add(word.offset() / Long.BYTES);
        }
    }

    synchronized void close() {
        SharedBlock present = block;
        block = null;
        unavailable = true;
        if (present != null) {
            SharedMemory.free(present.address());
        }
    }
}

package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.SharedBlock;
import io.tensorfabric.offheap.SharedMemory;
import org.jspecify.annotations.Nullable;

/** The device's side of a memory region. */
final class Region extends Grant {

    private final @Nullable Mapping mapping;

    private final @Nullable SharedBlock shared;

    private int windows;

    private boolean closing;

    /** With {@code mapping} where memory of another device is, or {@code null} for memory of this process. */
    Region(Object domain, long address, long length, int access, @Nullable Mapping mapping) {
        super(domain, address, length, access, null);
        this.mapping = mapping;
        this.shared = mapping == null ? SharedMemory.find(address, length) : null;
    }

    /** The block that this memory is part of, if other processes can map it. */
    @Nullable SharedBlock shared() {
        return shared;
    }

    @Override
    long locate(long start) {
        return mapping == null ? start : mapping.locate(start - address());
    }

    /** Ends the access to memory of another device; the grant was revoked. */
    void unmap() {
        if (mapping != null) {
            mapping.close();
        }
    }

    /** Counts one more bound window; {@code false} when the region is being closed. */
    synchronized boolean attachWindow() {
        if (closing) {
            return false;
        }
        windows++;
        return true;
    }

    synchronized void detachWindow() {
        windows--;
    }

    /** Forbids new windows; returns how many are bound, and only when that is 0 are new ones forbidden. */
    synchronized int beginClose() {
        closing = windows == 0;
        return windows;
    }
}

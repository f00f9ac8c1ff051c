package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.HostRegistration;
import org.jspecify.annotations.Nullable;

/**
 * The registered memory that a push is read from: the tensor's own, or a copy of it. Set up once, before the push reaches
 * a link, and closed once, when the device is done.
 */
final class PushSource implements AutoCloseable {

    private long address;
    private int lkey;
    private @Nullable HostRegistration registration;
    private @Nullable BufferLease copy;

    /** @param address of the tensor's first byte */
    PushSource(long address) {
        this.address = address;
    }

    long address() {
        return address;
    }

    /** The tensor's memory is registered already. */
    void useRegion(int regionLkey) {
        lkey = regionLkey;
    }

    /** The tensor's memory was registered for this push. */
    void useRegistration(HostRegistration registered) {
        registration = registered;
    }

    /** The tensor's bytes were copied to a buffer, which is given back at the end. */
    void useCopy(BufferLease buffer) {
        address = buffer.address();
        lkey = buffer.region().lkey();
        copy = buffer;
    }

    /** Local key for the byte at an offset. */
    int lkey(long offset) {
        HostRegistration parts = registration;
        return parts == null ? lkey : parts.regionAt(address + offset).lkey();
    }

    /** Bytes from an offset on that one work request can send, at most {@code wanted}. */
    long contiguous(long offset, long wanted) {
        HostRegistration parts = registration;
        return parts == null ? wanted : Math.min(wanted, parts.contiguousBytes(address + offset));
    }

    @Override
    public void close() {
        if (copy != null) {
            copy.close();
        }
        if (registration != null) {
            registration.close();
        }
    }
}

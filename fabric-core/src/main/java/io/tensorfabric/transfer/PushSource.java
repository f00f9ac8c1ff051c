package io.tensorfabric.transfer;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.HostRegistration;
import io.tensorfabric.memory.cuda.GpuCopies.Mark;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.memory.cuda.GpuSource;
import io.tensorfabric.offheap.OffHeap;
import org.jspecify.annotations.Nullable;

/**
 * The registered memory that a push is read from, or a pull written to: the tensor's own, or a copy of it. Set up once, before the push reaches
 * a link, and closed once, when the device is done.
 */
final class PushSource implements AutoCloseable {

    private final long origin;
    private long address;
    private int lkey;
    private @Nullable HostRegistration registration;
    private @Nullable BufferLease copy;
    private @Nullable GpuSource gpu;
    private @Nullable StagedSource staged;
    private @Nullable Mark mark;
    private @Nullable ProgressTeller progress;
    private @Nullable GpuMemory sharing;
    private boolean busy;
    private TransferPath path = TransferPath.HOST;

    /** @param address of the tensor's first byte */
    PushSource(long address) {
        this.origin = address;
        this.address = address;
    }

    long address() {
        return address;
    }

    /** Where the tensor is, whatever the device works with. */
    long origin() {
        return origin;
    }

    /** What the device read into a copy goes to the tensor. */
    void bringBack(long bytes) {
        if (copy != null) {
            OffHeap.copy(copy.address(), origin, bytes);
        }
    }

    /** Where a byte is for the device. */
    long address(long offset) {
        StagedSource chunks = staged;
        return chunks == null ? address + offset : chunks.address(offset);
    }

    /** How many bytes from the first one on can be written by now. */
    long ready(long bytes) {
        StagedSource chunks = staged;
        return chunks == null ? bytes : chunks.ready();
    }

    /** How the device gets at the bytes. */
    TransferPath path() {
        return path;
    }

    void path(TransferPath value) {
        path = value;
    }

    /** The work of the GPU that the bytes come from. */
    void useMark(Mark value) {
        mark = value;
    }

    @Nullable Mark mark() {
        return mark;
    }

    /** The GPU copies the bytes to the peer's by itself, if the link allows that; null for other ways. */
    void share(@Nullable GpuMemory gpu) {
        sharing = gpu;
    }

    @Nullable GpuMemory sharing() {
        return sharing;
    }

    /** Whether no lane carries the bytes. */
    boolean isShared() {
        return sharing != null;
    }

    /** Whether something works with it that tells its link of the end. Guarded by the lock of that one. */
    boolean isBusy() {
        return busy;
    }

    void busy(boolean value) {
        busy = value;
    }

    /** The tensor's memory is a GPU's and registered. */
    void useGpu(GpuSource registered) {
        gpu = registered;
    }

    /** The tensor's bytes are copied from the GPU chunk by chunk. */
    void useStaged(StagedSource chunks) {
        staged = chunks;
    }

    /** Somebody wants to know how far it is. */
    void tell(ProgressTeller teller) {
        progress = teller;
    }

    /** The device is done with the bytes before an offset. */
    void placed(long offset) {
        StagedSource chunks = staged;
        if (chunks != null) {
            chunks.done(offset);
        }
        if (progress != null) {
            progress.placed();
        }
    }

    @Nullable StagedSource staged() {
        return staged;
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
        if (parts != null) {
            return parts.regionAt(address + offset).lkey();
        }
        GpuSource device = gpu;
        if (device != null) {
            return device.lkey(address + offset);
        }
        StagedSource chunks = staged;
        return chunks == null ? lkey : chunks.lkey();
    }

    /** Bytes from an offset on that one work request can send, at most {@code wanted}. */
    long contiguous(long offset, long wanted) {
        HostRegistration parts = registration;
        if (parts != null) {
            return Math.min(wanted, parts.contiguousBytes(address + offset));
        }
        GpuSource device = gpu;
        if (device != null) {
            return Math.min(wanted, device.contiguous(address + offset));
        }
        StagedSource chunks = staged;
        return chunks == null ? wanted : chunks.contiguous(offset, wanted);
    }

    @Override
    public void close() {
        if (mark != null) {
            mark.close();
        }
        if (staged != null) {
            staged.close();
        }
        if (gpu != null) {
            gpu.close();
        }
        if (copy != null) {
            copy.close();
        }
        if (registration != null) {
            registration.close();
        }
    }
}

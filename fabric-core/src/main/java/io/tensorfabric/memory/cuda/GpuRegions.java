package io.tensorfabric.memory.cuda;

import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.VerbsException;
import java.util.List;

/** The regions of a registered range of GPU memory. Immutable; closed by its owner once the device is done with it. */
final class GpuRegions {

    private final long address;

    private final long length;

    private final long partLength;

    private final List<MemoryRegion> parts;

    GpuRegions(long address, long length, long partLength, List<MemoryRegion> parts) {
        this.address = address;
        this.length = length;
        this.partLength = partLength;
        this.parts = List.copyOf(parts);
    }

    long address() {
        return address;
    }

    long length() {
        return length;
    }

    boolean covers(long start, long bytes) {
        long offset = start - address;
        return offset >= 0 && bytes >= 0 && offset <= length && bytes <= length - offset;
    }

    int lkey(long byteAddress) {
        return parts.get((int) ((byteAddress - address) / partLength)).lkey();
    }

    /** Bytes from an address on that lie in the same region. */
    long contiguous(long byteAddress) {
        long offset = byteAddress - address;
        return Math.min(length - offset, partLength - offset % partLength);
    }

    int count() {
        return parts.size();
    }

    /**
     * Deregisters.
     *
     * @throws VerbsException if a region is not given back; the others are
     */
    void close() {
        VerbsException failure = null;
        for (MemoryRegion part : parts) {
            try {
                part.close();
            } catch (VerbsException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}

package io.tensorfabric.memory.cuda;

import java.util.List;

/** A range of GPU memory that a verbs device may read, until it is closed. Thread-safe. */
public final class GpuSource implements AutoCloseable {

    private final long address;

    private final long length;

    private final List<Part> parts;

    private boolean closed;

    /** Regions that hold a part of the range, and what to do when they are no longer needed. */
    record Part(GpuRegions regions, Runnable end) {
        void close() {
            end.run();
        }
    }

    GpuSource(long address, long length, List<Part> parts) {
        this.address = address;
        this.length = length;
        this.parts = List.copyOf(parts);
    }

    /** Local key of a byte. */
    public int lkey(long byteAddress) {
        return find(byteAddress).lkey(byteAddress);
    }

    /** Bytes from an address on that one work request can name. */
    public long contiguous(long byteAddress) {
        return Math.min(address + length - byteAddress, find(byteAddress).contiguous(byteAddress));
    }

    private GpuRegions find(long byteAddress) {
        for (int i = 0; i < parts.size(); i++) {
            GpuRegions regions = parts.get(i).regions();
            if (regions.covers(byteAddress, 1)) {
                return regions;
            }
        }
        throw new IndexOutOfBoundsException("The byte lies outside the registered range of " + length + " bytes");
    }

    /** Lets go of the registration. Further calls do nothing. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            parts.forEach(Part::close);
        }
    }
}

package io.tensorfabric.memory;

import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;

/**
 * A registered range of memory that belongs to somebody else. Closing it deregisters and frees nothing; it must be
 * closed before the memory is freed, and after the device is done with it. Thread-safe.
 */
public final class HostRegistration implements AutoCloseable {

    private final String device;

    private final long address;

    private final long length;

    /** Bytes of each part but the last. */
    private final long partLength;

    private final List<MemoryRegion> parts;

    /** Parts that are still registered. Guarded by this. */
    private final List<MemoryRegion> open;

    private volatile boolean closed;

    HostRegistration(String device, long address, long length, long partLength, List<MemoryRegion> parts) {
        this.device = device;
        this.address = address;
        this.length = length;
        this.partLength = partLength;
        this.parts = List.copyOf(parts);
        this.open = new ArrayList<>(parts);
    }

    /** First byte. */
    public long address() {
        return address;
    }

    /** Bytes. */
    public long length() {
        return length;
    }

    /** The regions in the order of their addresses; none for an empty range. */
    public List<MemoryRegion> regions() {
        checkOpen();
        return parts;
    }

    /**
     * The region that holds a byte. Allocates nothing.
     *
     * @throws IndexOutOfBoundsException if the byte lies outside the range
     */
    public MemoryRegion regionAt(long byteAddress) {
        checkOpen();
        return parts.get((int) (offset(byteAddress) / partLength));
    }

    /**
     * How many bytes from an address on lie in the same region, so can be named by one scatter-gather element.
     *
     * @throws IndexOutOfBoundsException if the address lies outside the range
     */
    public long contiguousBytes(long byteAddress) {
        checkOpen();
        long offset = offset(byteAddress);
        return Math.min(length - offset, partLength - offset % partLength);
    }

    /**
     * Deregisters. Closing again does nothing, or tries again what failed.
     *
     * @throws MemoryRegistrationException if a region could not be deregistered: the memory must then not be freed
     */
    @Override
    public synchronized void close() {
        closed = true;
        VerbsException failure = null;
        for (MemoryRegion part : List.copyOf(open)) {
            try {
                part.close();
                open.remove(part);
            } catch (VerbsException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw MemoryRegistrationException.deregistering("a buffer of the application", device, length, failure);
        }
    }

    private long offset(long byteAddress) {
        long offset = byteAddress - address;
        if (offset < 0 || offset >= length) {
            throw new IndexOutOfBoundsException(
                    "The byte lies outside the registered range of " + ByteSizes.format(length));
        }
        return offset;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("This registration was closed");
        }
    }

    /** Leaves out address and keys. */
    @Override
    public String toString() {
        return "HostRegistration[device=" + device + ", length=" + length + ", regions=" + parts.size()
                + (closed ? ", closed]" : "]");
    }
}

package io.tensorfabric.offheap;

import org.jspecify.annotations.Nullable;

/** Thrown when the operating system does not give as much native memory as was asked for. */
public final class OffHeapAllocationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long requestedBytes;

    OffHeapAllocationException(long requestedBytes, long liveBytes) {
        this(requestedBytes, liveBytes, null);
    }

    OffHeapAllocationException(long requestedBytes, long liveBytes, @Nullable Throwable cause) {
        super(
                "Cannot allocate " + requestedBytes + " bytes of native memory (" + liveBytes
                        + " bytes are held by this process already); raise the memory limit of the process or container,"
                        + " or lower the sizes that were configured",
                cause);
        this.requestedBytes = requestedBytes;
    }

    OffHeapAllocationException(long requestedBytes, String what, String reason, @Nullable Throwable cause) {
        super("Cannot allocate " + requestedBytes + " bytes of " + what + ": " + reason, cause);
        this.requestedBytes = requestedBytes;
    }

    /** How many bytes the caller asked for. */
    public long requestedBytes() {
        return requestedBytes;
    }
}

package io.tensorfabric.memory;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;

/** Memory could not be registered with a device, or not be taken back from it; names the size and the limits. */
public final class MemoryRegistrationException extends VerbsException {

    private final long bytes;

    private MemoryRegistrationException(VerbsException cause, long bytes, String detail) {
        super(cause.call(), cause.errno(), detail);
        this.bytes = bytes;
        initCause(cause);
    }

    /** Bytes that were to be registered or deregistered. */
    public long bytes() {
        return bytes;
    }

    static MemoryRegistrationException registering(String owner, String device, long bytes, VerbsException cause) {
        String detail =
                "registering " + ByteSizes.format(bytes) + " for " + owner + " on device " + device + limits(cause);
        return new MemoryRegistrationException(cause, bytes, detail);
    }

    static MemoryRegistrationException deregistering(String owner, String device, long bytes, VerbsException cause) {
        String detail = "deregistering " + ByteSizes.format(bytes) + " of " + owner + " from device " + device
                + "; the memory stays allocated and is not used again";
        return new MemoryRegistrationException(cause, bytes, detail);
    }

    private static String limits(VerbsException cause) {
        boolean limited =
                cause.errno() == Errno.ENOMEM || cause.errno() == Errno.EPERM || cause.errno() == Errno.EAGAIN;
        return limited
                ? "; " + MemoryLockLimits.describe()
                        + "; allow more with 'ulimit -l unlimited', LimitMEMLOCK=infinity of the service or container"
                        + " runtime, or CAP_IPC_LOCK"
                : "";
    }
}

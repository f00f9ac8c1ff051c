package io.tensorfabric.verbs;

/** Error numbers of Linux that verbs return, each with its meaning and remedy; see {@code errno(3)}. */
public enum Errno {
    EPERM(
            1,
            "the operation is not permitted",
            "Run with the needed capability (CAP_IPC_LOCK for pinned memory) or as an allowed user."),
    ENOENT(2, "no such object", "Check the device name and that its driver is loaded."),
    EINTR(4, "the call was interrupted", "Try again."),
    EIO(5, "an input/output error", "Check the kernel log for the device."),
    EAGAIN(11, "the resource is busy for the moment", "Try again later."),
    ENOMEM(
            12,
            "a limit is reached: locked memory, or objects or queue entries of the device",
            "Raise RLIMIT_MEMLOCK (ulimit -l, LimitMEMLOCK), make the pool or queues smaller, or close unused objects."),
    EACCES(13, "permission denied", "Give the user access to /dev/infiniband/uverbs*."),
    EFAULT(14, "the address is not mapped memory", "Check that the buffer is still allocated."),
    EBUSY(16, "the object is in use", "Close what depends on it first."),
    ENODEV(19, "no such device", "Check that the card and its driver are present: ibv_devinfo."),
    EINVAL(22, "an argument is invalid", "Check the named attributes against the manual page of the call."),
    ENOSPC(28, "no room left on the device", "Close unused objects."),
    ENOSYS(38, "the call is not implemented by the driver", "Use a newer driver, or switch the feature off."),
    ENODATA(61, "no such entry", "Check that the GID index is in use on the port: entries come and go with addresses."),
    EPROTO(71, "a protocol error", "Check that both ends run compatible versions."),
    EOPNOTSUPP(95, "the device does not support the operation", "Switch the feature off, or use a device that has it."),
    EADDRNOTAVAIL(99, "the address is not available", "Check that the GID index still exists on the port."),
    ENETUNREACH(101, "the network is unreachable", "Check routes and addresses of both ends."),
    ECONNRESET(104, "the connection was reset", "Check the peer and reconnect."),
    ETIMEDOUT(110, "no answer came in time", "Check that the peer runs and is reachable."),
    ECONNREFUSED(111, "the connection was refused", "Check that the peer runs and its address and port."),
    EHOSTUNREACH(113, "the host is unreachable", "Check routes, VLAN and ARP or neighbour entries of both ends."),
    /** A number that is not in this table. */
    UNKNOWN(-1, "an error number that is not in the table", "Look the number up in errno(3) and check the kernel log.");

    private final int number;

    private final String meaning;

    private final String remedy;

    Errno(int number, String meaning, String remedy) {
        this.number = number;
        this.meaning = meaning;
        this.remedy = remedy;
    }

    /** Number on Linux, -1 for {@link #UNKNOWN}. */
    public int number() {
        return number;
    }

    /** What it means, as the rest of a sentence. */
    public String meaning() {
        return meaning;
    }

    /** What to do, in a sentence. */
    public String remedy() {
        return remedy;
    }

    /** The entry of a number, or {@link #UNKNOWN}. */
    public static Errno ofNumber(int number) {
        for (Errno errno : values()) {
            if (errno.number == number) {
                return errno;
            }
        }
        return UNKNOWN;
    }
}

package io.tensorfabric.verbs;

import java.util.Set;

/** Rights of a memory region or window with the bits of {@code enum ibv_access_flags}. Local reads are always allowed. */
public enum AccessFlag {
    LOCAL_WRITE(1),
    REMOTE_WRITE(1 << 1),
    REMOTE_READ(1 << 2),
    REMOTE_ATOMIC(1 << 3),
    /** Allows memory windows to be bound to the region. */
    MEMORY_WINDOW_BIND(1 << 4),
    /** Allows the device to reorder writes; a hint that a device may ignore. */
    RELAXED_ORDERING(1 << 20);

    private final int bit;

    AccessFlag(int bit) {
        this.bit = bit;
    }

    /** Bit in {@code enum ibv_access_flags}. */
    public int bit() {
        return bit;
    }

    /** The bits of a set of flags. */
    public static int mask(Set<AccessFlag> flags) {
        int mask = 0;
        for (AccessFlag flag : flags) {
            mask |= flag.bit;
        }
        return mask;
    }
}

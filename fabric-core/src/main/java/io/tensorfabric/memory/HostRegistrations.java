package io.tensorfabric.memory;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Registers host memory that belongs to others for as long as it is used. Nothing is cached: memory that was freed and
 * allocated again at the same address would be served with a stale region, which the device would not notice.
 */
public final class HostRegistrations {

    private HostRegistrations() {}

    /**
     * Registers a range; see {@code ibv_reg_mr(3)}. A range longer than the device's largest memory region gets as many
     * regions as it needs. A range of zero bytes gets none, and is valid.
     *
     * @param pd where to register
     * @param address first byte; the memory must stay allocated until the registration is closed
     * @param length bytes, zero or more
     * @param access rights of the regions
     * @return the registration, to be closed by the caller
     * @throws MemoryRegistrationException if the device or the kernel refuses; nothing is then left registered
     */
    public static HostRegistration register(ProtectionDomain pd, long address, long length, Set<AccessFlag> access) {
        if (length < 0) {
            throw new IllegalArgumentException("A range cannot have " + length + " bytes");
        }
        long largest = RegionLimits.largestRegion(pd);
        List<MemoryRegion> parts = new ArrayList<>();
        try {
            for (long offset = 0;
                    offset < length;
                    offset += parts.get(parts.size() - 1).length()) {
                parts.add(pd.registerMemory(address + offset, Math.min(largest, length - offset), access));
            }
        } catch (RuntimeException e) {
            undo(parts, e);
            throw e instanceof VerbsException refusal
                    ? MemoryRegistrationException.registering(
                            "a buffer of the application", pd.context().deviceName(), length, refusal)
                    : e;
        }
        return new HostRegistration(pd.context().deviceName(), address, length, largest, parts);
    }

    private static void undo(List<MemoryRegion> parts, RuntimeException failure) {
        for (MemoryRegion part : parts) {
            try {
                part.close();
            } catch (VerbsException e) {
                failure.addSuppressed(e);
            }
        }
    }
}

package io.tensorfabric.memory;

import io.tensorfabric.verbs.ProtectionDomain;

/** Limits of a device on memory regions. */
final class RegionLimits {

    private RegionLimits() {}

    /** Most bytes of one region. Devices that set no limit report zero or all ones. */
    static long largestRegion(ProtectionDomain domain) {
        long limit = domain.context().queryDevice().maxMemoryRegionSize();
        return limit <= 0 ? Long.MAX_VALUE : limit;
    }
}

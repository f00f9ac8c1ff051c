package io.tensorfabric.memory;

import java.util.Locale;

/** Words for what goes wrong with a pool. */
final class PoolReport {

    private PoolReport() {}

    static String exhausted(MemoryPoolStatistics pool, HolderSummary holders, long bytes, String why) {
        return "Pool '" + pool.name() + "' has no room for a buffer of " + ByteSizes.format(bytes) + " (" + why
                + "): capacity " + ByteSizes.format(pool.capacity()) + ", in use " + ByteSizes.format(pool.inUse())
                + ", largest free block " + ByteSizes.format(pool.largestFree()) + ", held by " + holders
                + ". Close buffers sooner, or raise " + property(pool.kind());
    }

    static String tooLarge(MemoryPoolStatistics pool, long bytes, long largest) {
        String remedy = largest < pool.capacity()
                ? "The device registers no more at once: send the data in parts"
                : "Raise " + property(pool.kind());
        return "Pool '" + pool.name() + "' can never give a buffer of " + ByteSizes.format(bytes) + ": its largest is "
                + ByteSizes.format(largest) + ", capacity " + ByteSizes.format(pool.capacity()) + ", in use "
                + ByteSizes.format(pool.inUse()) + ", largest free block " + ByteSizes.format(pool.largestFree())
                + ". " + remedy;
    }

    static String busy(String pool, int leases, HolderSummary holders, String waited) {
        return "Pool '" + pool + "' cannot be closed, " + leases + " buffers are still leased " + waited + ": "
                + holders + ". Its memory stays registered until they are closed";
    }

    static String neverClosed(String pool, LeaseHolder holder) {
        return "A buffer of pool '" + pool + "' was dropped without being closed by " + holder
                + "; its memory stays in use, since a device may still work with it."
                + " Close buffers with try-with-resources";
    }

    private static String property(MemoryKind kind) {
        return "fabric.memory." + kind.type().name().toLowerCase(Locale.ROOT) + ".max-size";
    }
}

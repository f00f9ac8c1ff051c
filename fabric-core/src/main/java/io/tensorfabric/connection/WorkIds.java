package io.tensorfabric.connection;

/**
 * Layout of the 64 bits by which work requests are known, the only part of a failed completion that tells whose it is:
 * generation and index of the target in {@link CompletionRouter}, then 32 bits that belong to the target.
 */
final class WorkIds {

    /** Position of the target's generation. */
    private static final int GENERATION_SHIFT = 48;

    private static final int INDEX_SHIFT = 32;

    static final int MAX_TARGETS = 1 << 16;

    /** Marks the last work request of a transmission, the one that is signalled. */
    static final int LAST = 1 << 30;

    /** The request that tells that a queue pair in error has flushed everything before it; an expected failure. */
    static final int DRAIN_MARKER = -1;

    private WorkIds() {}

    static long target(int generation, int index) {
        return ((long) (generation & 0xffff) << GENERATION_SHIFT) | ((long) index << INDEX_SHIFT);
    }

    static long of(long target, int slot) {
        return target | (slot & 0xffffffffL);
    }

    static int index(long id) {
        return (int) (id >>> INDEX_SHIFT) & 0xffff;
    }

    static int generation(long id) {
        return (int) (id >>> GENERATION_SHIFT);
    }

    static int slot(long id) {
        return (int) id;
    }
}

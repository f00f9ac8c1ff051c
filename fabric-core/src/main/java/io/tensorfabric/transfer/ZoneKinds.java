package io.tensorfabric.transfer;

import io.tensorfabric.memory.MemoryKind;

/** What the memory kind of a landing zone says: the zone's own kind, and where its tensors go when that is another one. */
final class ZoneKinds {

    private static final String FOR = " for ";

    private ZoneKinds() {}

    /** As {@code cuda:0}, {@code host}, or {@code host for cuda:0}. */
    static String describe(MemoryKind zone, MemoryKind target) {
        return zone.equals(target) ? zone.toString() : zone + FOR + target;
    }

    /** Whether tensors that land in such a zone come into memory of a GPU. */
    static boolean isForGpu(String kind) {
        return kind.contains("cuda:");
    }

    /** How tensors come into their place through such a zone; unknown words of later versions count as host memory. */
    static TransferPath path(String kind) {
        if (kind.contains(FOR)) {
            return TransferPath.HOST_STAGED;
        }
        return kind.startsWith("cuda:") ? TransferPath.GPU_DIRECT : TransferPath.HOST;
    }
}

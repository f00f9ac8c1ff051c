package io.tensorfabric.memory;

import io.tensorfabric.verbs.MemoryRegion;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the slab that holds an address. Immutable: a pool publishes a new one when its slabs change. */
final class SlabIndex {

    static final SlabIndex EMPTY = new SlabIndex(List.of());

    private final long[] starts;

    private final long[] ends;

    private final MemoryRegion[] regions;

    SlabIndex(List<Slab> slabs) {
        List<Slab> sorted = slabs.stream()
                .sorted(Comparator.comparingLong(slab -> slab.address))
                .toList();
        starts = sorted.stream().mapToLong(slab -> slab.address).toArray();
        ends = sorted.stream().mapToLong(slab -> slab.address + slab.size).toArray();
        regions = sorted.stream().map(slab -> slab.region).toArray(MemoryRegion[]::new);
    }

    /** The region that holds a whole range. Allocates nothing. */
    @Nullable MemoryRegion regionOf(long address, long length) {
        int low = 0;
        int high = starts.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (starts[middle] <= address) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        if (high < 0 || length < 0 || address > ends[high] || length > ends[high] - address) {
            return null;
        }
        return regions[high];
    }
}

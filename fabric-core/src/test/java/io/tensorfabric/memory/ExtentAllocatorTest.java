package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ExtentAllocatorTest {

    private static final long BASE = 1L << 30;

    private static final long SIZE = 16L << 20;

    private final ExtentAllocator allocator = new ExtentAllocator(BASE, SIZE, 256);

    @Test
    void whenEverySecondSmallBlockIsFreeThenTheLargestIsOneBlockAndAfterFreeingAllItIsEverything() {
        List<Integer> blocks = new ArrayList<>();
        for (int block = allocator.allocate(1024, 64); block >= 0; block = allocator.allocate(1024, 64)) {
            blocks.add(block);
        }
        assertThat(blocks).hasSize(16 * 1024);
        assertThat(allocator.freeBytes()).isZero();

        for (int i = 0; i < blocks.size(); i += 2) {
            allocator.free(blocks.get(i));
        }
        assertThat(allocator.freeBytes()).isEqualTo(SIZE / 2);
        assertThat(allocator.largestFree()).isEqualTo(1024);
        assertThat(allocator.allocate(512 * 1024, 4096)).isEqualTo(ExtentAllocator.NONE);

        for (int i = 1; i < blocks.size(); i += 2) {
            allocator.free(blocks.get(i));
        }
        assertThat(allocator.freeExtents()).isEqualTo(1);
        assertThat(allocator.largestFree()).isEqualTo(SIZE);
        assertThat(allocator.allocate(15 << 20, 4096)).isNotNegative();
    }

    @Test
    void whenAllocatedAndFreedAtRandomThenNothingOverlapsAndAllIsOneExtentInTheEnd() {
        Random random = new Random(20240607);
        TreeMap<Long, Integer> taken = new TreeMap<>();
        List<Integer> live = new ArrayList<>();
        long inUse = 0;
        for (int i = 0; i < 100_000; i++) {
            if (live.isEmpty() || random.nextInt(100) < 55) {
                long bytes = 1 + (long) Math.pow(2, random.nextDouble() * 18);
                long alignment = bytes >= 4096 ? 4096 : 64;
                int extent = allocator.allocate(bytes, alignment);
                if (extent != ExtentAllocator.NONE) {
                    inUse += take(taken, extent, bytes, alignment);
                    live.add(extent);
                }
            } else {
                int last = live.size() - 1;
                int victim = random.nextInt(live.size());
                int extent = live.set(victim, live.get(last));
                live.remove(last);
                inUse -= allocator.size(extent);
                taken.remove(allocator.start(extent));
                allocator.free(extent);
            }
            assertThat(allocator.freeBytes()).isEqualTo(SIZE - inUse);
        }
        live.forEach(allocator::free);
        assertThat(allocator.freeBytes()).isEqualTo(SIZE);
        assertThat(allocator.freeExtents()).isEqualTo(1);
        assertThat(allocator.largestFree()).isEqualTo(SIZE);
    }

    @Test
    void whenOnlyAMisalignedExtentIsLargeEnoughThenOneThatFitsIsFoundBehindMany() {
        ExtentAllocator pages = new ExtentAllocator(BASE, 64 * 8192, 256);
        List<Integer> padding = new ArrayList<>();
        List<Integer> blocks = new ArrayList<>();
        for (int i = 0; i < 63; i++) {
            padding.add(pages.allocate(256, 64));
            blocks.add(pages.allocate(8192 - 256, 64));
        }
        int aligned = pages.allocate(8192 - 256, 4096);
        blocks.forEach(pages::free);
        assertThat(pages.start(aligned) % 4096).isZero();
        pages.free(aligned);

        // All freed blocks have one size; only the last one starts on a page.
        assertThat(pages.allocate(8192 - 256, 4096)).isNotEqualTo(ExtentAllocator.NONE);
        assertThat(pages.allocate(8192 - 256, 4096)).isEqualTo(ExtentAllocator.NONE);
        assertThat(padding).hasSize(63);
    }

    private long take(TreeMap<Long, Integer> taken, int extent, long bytes, long alignment) {
        long start = allocator.start(extent);
        long size = allocator.size(extent);
        assertThat(start % alignment).isZero();
        assertThat(start).isGreaterThanOrEqualTo(BASE);
        assertThat(start + size).isLessThanOrEqualTo(BASE + SIZE);
        assertThat(size).isGreaterThanOrEqualTo(bytes).isLessThan(bytes + 256);
        var before = taken.lowerEntry(start + size);
        if (before != null) {
            assertThat(before.getKey() + allocator.size(before.getValue())).isLessThanOrEqualTo(start);
        }
        taken.put(start, extent);
        return size;
    }
}

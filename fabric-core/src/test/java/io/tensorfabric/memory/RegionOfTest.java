package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tensorfabric.verbs.MemoryRegion;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RegionOfTest {

    private static final int SLAB = 65536;

    private final FakeDomain domain = new FakeDomain();

    private final MemoryRegionPool pool = MemoryRegionPool.create(
            "host", domain, new FakeMemory(domain), new MemoryPoolOptions(SLAB, 3 * SLAB, 256, Duration.ZERO), false);

    private final BufferLease first = pool.acquire(SLAB, "first");

    private final BufferLease second = pool.acquire(SLAB, "second");

    @AfterEach
    void close() {
        first.close();
        second.close();
        pool.close();
        assertThat(pool.regionOf(0, 0)).isNull();
    }

    @Test
    void onlyRangesThatLieInOneSlabHaveARegion() {
        long start = first.address();
        MemoryRegion region = first.region();
        assertThat(pool.regionOf(start, SLAB)).isSameAs(region);
        assertThat(pool.regionOf(start + SLAB - 1, 1)).isSameAs(region);
        assertThat(pool.regionOf(start + SLAB, 0)).isSameAs(region);
        assertThat(pool.regionOf(start + SLAB, 1)).isNull();
        assertThat(pool.regionOf(start + SLAB - 1, 2)).isNull();
        assertThat(pool.regionOf(start - 1, 1)).isNull();
        assertThat(pool.regionOf(start, -1)).isNull();
        assertThat(pool.regionOf(start, Long.MAX_VALUE)).isNull();
        assertThat(pool.regionOf(-80, 96)).isNull();
        assertThat(pool.regionOf(start, (1L << 32) + 1)).isNull();
        assertThat(pool.regionOf(second.address(), SLAB)).isSameAs(second.region());
    }

    @Test
    void lookingUpARegionAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long found = lookUp(10_000);
        long before = threads.getCurrentThreadAllocatedBytes();
        found += lookUp(1_000_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(found).isEqualTo(1_010_000);
        // The measurement itself may allocate a little; a byte per look-up would be a million.
        assertThat(allocated).isLessThan(10_000);
    }

    private long lookUp(int times) {
        long address = second.address();
        long found = 0;
        for (int i = 0; i < times; i++) {
            if (pool.regionOf(address + (i & 0xfff), 64) != null) {
                found++;
            }
        }
        return found;
    }
}

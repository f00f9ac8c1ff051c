package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryRegion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryRegionPoolTest {

    private static final long MIB = 1 << 20;

    private static final MemoryPoolOptions SMALL = new MemoryPoolOptions(4 * MIB, 16 * MIB, 256, Duration.ZERO);

    private final FakeDomain domain = new FakeDomain();

    private final FakeMemory memory = new FakeMemory(domain);

    @Test
    void whenABufferIsLeasedThenItLiesInASlabThatIsRegisteredForLocalUseOnly() {
        try (MemoryRegionPool pool = pool(SMALL);
                BufferLease lease = pool.acquire(1000, "test")) {
            assertThat(lease.length()).isEqualTo(1000);
            assertThat(lease.address() % 64).isZero();
            assertThat(lease.kind()).isEqualTo(MemoryKind.HOST);
            assertThat(lease.region().access()).containsExactly(AccessFlag.LOCAL_WRITE);
            assertThat(lease.region().length()).isEqualTo(4 * MIB);
            assertThat(pool.regionOf(lease.address(), 1000)).isSameAs(lease.region());
            assertThat(pool.statistics().inUse()).isEqualTo(1024);
        }
        assertThat(domain.live).isEmpty();
        assertThat(memory.live).isEmpty();
        assertThat(domain.calls).containsExactly("allocate", "register", "deregister", "free");
    }

    @Test
    void whenWindowsAreAllowedThenSlabsMayBeBound() {
        try (MemoryRegionPool pool = MemoryRegionPool.create("host", domain, memory, SMALL, true);
                BufferLease lease = pool.acquire(4096, "test")) {
            assertThat(lease.region().access())
                    .containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.MEMORY_WINDOW_BIND);
            assertThat(lease.address() % 4096).isZero();
        }
    }

    @Test
    void whenZeroBytesAreAskedForThenTheLeaseIsAMinimalBlockOfLengthZero() {
        try (MemoryRegionPool pool = pool(SMALL)) {
            try (BufferLease lease = pool.acquire(0, "test")) {
                assertThat(lease.length()).isZero();
                assertThat(lease.address()).isNotZero();
                assertThat(pool.statistics().inUse()).isEqualTo(256);
            }
            assertThat(pool.statistics().inUse()).isZero();
        }
    }

    @Test
    void whenAnAlignmentIsAskedForThenTheBufferHasIt() {
        try (MemoryRegionPool pool = pool(SMALL);
                BufferLease small = pool.acquire(100, "test");
                BufferLease aligned = pool.acquireAligned(100_000, 65536, "test", Duration.ZERO)) {
            assertThat(aligned.address() % 65536).isZero();
            assertThat(small.region()).isSameAs(aligned.region());
        }
    }

    @Test
    void whenLeasesAreAllOutThenTheErrorNamesPoolSizesHoldersAndProperty() {
        MemoryPoolOptions options = SMALL.withMaxBytes(4 * MIB);
        MemoryRegionPool pool = pool(options);
        List<BufferLease> leases = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            leases.add(pool.acquire(MIB, i < 3 ? "push a" : "push b"));
        }
        assertThat(pool.tryAcquire(MIB, "other")).isNull();
        assertThatThrownBy(() -> pool.acquire(MIB, "fifth"))
                .isInstanceOf(PoolExhaustedException.class)
                .hasMessageContainingAll(
                        "Pool 'host'", "1 MiB", "capacity 4 MiB", "in use 4 MiB", "largest free block 0 bytes")
                .hasMessageContainingAll(
                        "held by 'push a' 3 MiB in 3 buffers, the oldest since",
                        "'push b' 1 MiB since",
                        "fabric.memory.host.max-size");
        assertThat(pool.statistics().failures()).isEqualTo(1);

        leases.forEach(BufferLease::close);
        assertThat(pool.statistics().inUse()).isZero();
        assertThat(pool.statistics().peak()).isEqualTo(4 * MIB);
        assertThat(pool.statistics().free()).isEqualTo(4 * MIB);
        pool.close();
    }

    @Test
    void whenMoreThanTheMaximumIsAskedForThenItFailsAtOnce() {
        try (MemoryRegionPool pool = pool(SMALL.withAcquireTimeout(Duration.ofDays(1)))) {
            assertThatThrownBy(() -> pool.acquire(16 * MIB + 1, "test"))
                    .isInstanceOfSatisfying(PoolExhaustedException.class, e -> {
                        assertThat(e.requested()).isEqualTo(16 * MIB + 1);
                        assertThat(e.largestFree()).isEqualTo(16 * MIB);
                        assertThat(e.pool()).isEqualTo("host");
                    })
                    .hasMessageContainingAll("its largest is 16 MiB", "Raise fabric.memory.host.max-size");
            assertThatThrownBy(() -> pool.acquire(Long.MAX_VALUE, "test")).isInstanceOf(PoolExhaustedException.class);
            assertThat(pool.tryAcquire(Long.MAX_VALUE, "test")).isNull();
            assertThatThrownBy(() -> pool.acquire(-1, "test")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pool.acquireAligned(1, 48, "test", Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whenThePoolIsFragmentedThenTheErrorNamesTheLargestBlockAndAllOfItComesBack() {
        MemoryRegionPool pool = pool(SMALL.withSlabSize(16 * MIB));
        List<BufferLease> leases = new ArrayList<>();
        for (BufferLease lease = pool.tryAcquire(1024, "s"); lease != null; lease = pool.tryAcquire(1024, "s")) {
            leases.add(lease);
        }
        assertThat(leases).hasSize(16 * 1024);
        for (int i = 0; i < leases.size(); i += 2) {
            leases.get(i).close();
        }
        assertThatThrownBy(() -> pool.acquire(512 * 1024, "big"))
                .isInstanceOf(PoolExhaustedException.class)
                .hasMessageContaining("largest free block 1 KiB");
        assertThat(pool.statistics().fragmentation()).isEqualTo(1 - 1.0 / 8192);

        leases.forEach(BufferLease::close);
        BufferLease large = pool.acquire(15 * MIB, "big");
        assertThat(large.address() % 4096).isZero();
        large.close();
        assertThat(pool.statistics().free()).isEqualTo(16 * MIB);
        assertThat(pool.statistics().fragmentation()).isZero();
        pool.close();
    }

    @Test
    void whenSlabsAreFullThenMoreAreRegisteredUpToTheMaximumAndTheLastMayBeSmaller() {
        MemoryRegionPool pool = pool(SMALL.withMaxBytes(10 * MIB));
        List<BufferLease> leases = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            leases.add(pool.acquire(MIB, "test"));
        }
        assertThat(pool.statistics().slabs()).isEqualTo(3);
        assertThat(pool.statistics().registered()).isEqualTo(10 * MIB);
        assertThat(pool.tryAcquire(1, "test")).isNull();
        for (BufferLease lease : leases) {
            assertThat(pool.regionOf(lease.address(), MIB)).isSameAs(lease.region());
        }
        leases.forEach(BufferLease::close);
        pool.close();
        assertThat(domain.live).isEmpty();
    }

    @Test
    void whenThePoolIsSmallerThanASlabThenItHasOneSmallSlab() {
        try (MemoryRegionPool pool = pool(MemoryPoolOptions.defaults().withMaxBytes(MIB))) {
            pool.warmUp();
            assertThat(pool.statistics().registered()).isEqualTo(MIB);
            assertThat(pool.statistics().inUse()).isZero();
        }
    }

    @Test
    void whenARequestIsLargerThanASlabThenItGetsItsOwnWhichIsKeptUntilItsRoomIsNeeded() {
        MemoryRegionPool pool = pool(SMALL);
        pool.acquire(9 * MIB + 1, "large").close();
        assertThat(pool.statistics().registered()).isEqualTo(9 * MIB + 4096);
        MemoryRegion cached = domain.live.peek();
        try (BufferLease again = pool.acquire(8 * MIB, "large")) {
            assertThat(again.region()).isSameAs(cached);
        }
        // A small request leaves the cached slab alone while there is room for an ordinary one.
        BufferLease small = pool.acquire(100, "small");
        assertThat(small.region()).isNotSameAs(cached);
        assertThat(pool.statistics().slabs()).isEqualTo(2);

        // Room is needed: the cached slab goes.
        try (BufferLease larger = pool.acquire(12 * MIB, "larger")) {
            assertThat(cached.isClosed()).isTrue();
            assertThat(pool.statistics().registered()).isEqualTo(16 * MIB);
            assertThat(pool.tryAcquire(12 * MIB, "no room")).isNull();
            assertThat(larger.region().length()).isEqualTo(12 * MIB);
        }
        assertThat(pool.trim()).isEqualTo(12 * MIB);
        assertThat(pool.statistics().registered()).isEqualTo(4 * MIB);
        small.close();
        pool.close();
        assertThat(memory.live).isEmpty();
    }

    @Test
    void whenOrdinarySlabsAreIdleThenTheyMakeRoomForALargeRequest() {
        try (MemoryRegionPool pool = pool(SMALL)) {
            List<BufferLease> leases = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                leases.add(pool.acquire(4 * MIB, "test"));
            }
            leases.forEach(BufferLease::close);
            pool.acquire(16 * MIB, "all of it").close();
            assertThat(pool.statistics().slabs()).isEqualTo(1);
        }
    }

    @Test
    void whenTheDeviceLimitsRegionsThenSlabsAreSmallerAndLargerRequestsNameTheLimit() {
        domain.largestRegion = MIB;
        try (MemoryRegionPool pool = pool(SMALL);
                BufferLease lease = pool.acquire(MIB, "test")) {
            assertThat(lease.region().length()).isEqualTo(MIB);
            assertThatThrownBy(() -> pool.acquire(MIB + 1, "test"))
                    .isInstanceOf(PoolExhaustedException.class)
                    .hasMessageContainingAll("its largest is 1 MiB", "The device registers no more at once");
        }
        domain.largestRegion = 1024;
        assertThatThrownBy(() -> pool(SMALL)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whenRegistrationFailsThenTheErrorHasSizeAndLimitsAndTheMemoryIsFreed() {
        domain.registrationError = Errno.ENOMEM;
        try (MemoryRegionPool pool = pool(SMALL)) {
            assertThatThrownBy(pool::warmUp)
                    .isInstanceOfSatisfying(MemoryRegistrationException.class, e -> {
                        assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
                        assertThat(e.bytes()).isEqualTo(4 * MIB);
                    })
                    .hasMessageContainingAll("ibv_reg_mr", "ENOMEM", "4 MiB", "pool 'host'", "fake0")
                    .hasMessageContainingAll("RLIMIT_MEMLOCK", "soft", "hard", "ulimit -l");
            assertThat(memory.live).isEmpty();
            assertThat(pool.statistics().registered()).isZero();

            domain.registrationError = null;
            pool.acquire(1, "afterwards").close();
        }
    }

    @Test
    void whenALeaseIsClosedTwiceThenItsMemoryIsNotTakenFromTheNextOwner() {
        try (MemoryRegionPool pool = pool(SMALL)) {
            BufferLease first = pool.acquire(4096, "first");
            long address = first.address();
            first.close();
            try (BufferLease second = pool.acquire(4096, "second")) {
                assertThat(second.address()).isEqualTo(address);
                first.close();
                assertThat(pool.statistics().leases()).isEqualTo(1);
                assertThat(pool.holders()).extracting(LeaseHolder::holder).containsExactly("second");
            }
            assertThatThrownBy(first::address).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(first::region).isInstanceOf(IllegalStateException.class);
            assertThat(first.toString()).doesNotContain(Long.toString(address));
        }
    }

    private MemoryRegionPool pool(MemoryPoolOptions options) {
        return MemoryRegionPool.create("host", domain, memory, options, false);
    }
}

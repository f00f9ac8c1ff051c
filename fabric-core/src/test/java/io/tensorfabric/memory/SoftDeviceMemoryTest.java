package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftFaults;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pools and registrations on a real device of the software provider. */
class SoftDeviceMemoryTest {

    private static final int MIB = 1 << 20;

    private static final Set<AccessFlag> WRITABLE = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);

    private static final MemoryPoolOptions SMALL = new MemoryPoolOptions(MIB, 4 * MIB, 256, Duration.ZERO);

    private final SoftFaults faults = new SoftFaults();

    private final VerbsContext context = new SoftVerbsProvider(SoftDeviceOptions.builder()
                    .maxMemoryRegionSize(MIB)
                    .faults(faults)
                    .build())
            .devices()
            .get(0)
            .open();

    private final ProtectionDomain domain = context.allocateProtectionDomain();

    @AfterEach
    void closeDevice() {
        domain.close();
        context.close();
    }

    @Test
    void whenThePoolIsClosedThenItsDomainCanBeClosedToo() {
        MemoryRegionPool pool = MemoryRegionPool.create("host", domain, new HostMemoryProvider(), SMALL, true);
        pool.warmUp();
        assertThatThrownBy(domain::close).isInstanceOf(VerbsException.class);
        try (BufferLease lease = pool.acquire(100_000, "test")) {
            OffHeap.fill(lease.address(), lease.length(), (byte) 7);
            assertThat(lease.region().access()).contains(AccessFlag.MEMORY_WINDOW_BIND);
        }
        pool.close();
    }

    @Test
    void whenTheDeviceRefusesMemoryThenThePoolSaysHowMuchAndWhatTheKernelAllows() {
        MemoryRegionPool pool = MemoryRegionPool.create("host", domain, new HostMemoryProvider(), SMALL, false);
        faults.failCall("ibv_reg_mr", Errno.ENOMEM, 1);
        assertThatThrownBy(() -> pool.acquire(1, "test"))
                .isInstanceOf(MemoryRegistrationException.class)
                .hasMessageContainingAll("ibv_reg_mr", "ENOMEM", "1 MiB", "RLIMIT_MEMLOCK");
        pool.acquire(1, "test").close();
        pool.close();
    }

    @Test
    void whenTheDeviceRefusesToDeregisterThenTheMemoryIsKept() {
        MemoryRegionPool pool = MemoryRegionPool.create("host", domain, new HostMemoryProvider(), SMALL, false);
        pool.warmUp();
        faults.failCall("ibv_dereg_mr", Errno.EBUSY, 1);
        assertThatThrownBy(pool::close)
                .isInstanceOf(MemoryRegistrationException.class)
                .hasMessageContaining("EBUSY");
        pool.close();
    }

    @Test
    void whenABufferExceedsTheLargestRegionThenWritesGoToTheRightPlaceInSeveralParts() {
        long source = OffHeap.allocate(4 * MIB, 4096);
        long target = OffHeap.allocate(4 * MIB, 4096);
        OffHeap.fill(target, 4 * MIB, (byte) 0);
        byte[] content = new byte[4 * MIB];
        new Random(1).nextBytes(content);
        OffHeap.copyFromArray(content, 0, source, content.length);
        try (HostRegistration from = HostRegistrations.register(domain, source, 4 * MIB, Set.of());
                HostRegistration to = HostRegistrations.register(domain, target, 4 * MIB, WRITABLE);
                LoopbackPair pair = new LoopbackPair(context, domain)) {
            assertThat(to.regions()).hasSize(4);
            write(pair, from, to, 3 * MIB, 65536);
            write(pair, from, to, MIB - 4, 8);
        } finally {
            OffHeap.free(source);
        }
        byte[] expected = new byte[4 * MIB];
        System.arraycopy(content, 3 * MIB, expected, 3 * MIB, 65536);
        System.arraycopy(content, MIB - 4, expected, MIB - 4, 8);
        byte[] arrived = new byte[4 * MIB];
        OffHeap.copyToArray(target, arrived, 0, arrived.length);
        OffHeap.free(target);
        assertThat(arrived).isEqualTo(expected);
    }

    @Test
    void whenABufferIsEmptyThenNothingIsRegistered() {
        try (HostRegistration empty = HostRegistrations.register(domain, 4096, 0, WRITABLE)) {
            assertThat(empty.regions()).isEmpty();
        }
    }

    /** Writes a range of the source to the same offset of the target, split where either end needs another region. */
    private static void write(LoopbackPair pair, HostRegistration from, HostRegistration to, long offset, long length) {
        long done = 0;
        while (done < length) {
            long source = from.address() + offset + done;
            long target = to.address() + offset + done;
            long part = Math.min(length - done, Math.min(from.contiguousBytes(source), to.contiguousBytes(target)));
            MemoryRegion granted = to.regionAt(target);
            pair.write(source, part, from.regionAt(source).lkey(), target, granted.rkey());
            done += part;
        }
    }
}

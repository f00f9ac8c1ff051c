package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostRegistrationsTest {

    private static final long MIB = 1 << 20;

    private static final long ADDRESS = 1L << 40;

    private static final Set<AccessFlag> LOCAL = Set.of(AccessFlag.LOCAL_WRITE);

    private final FakeDomain domain = new FakeDomain();

    @Test
    void whenARangeExceedsTheDevicesLimitThenItGetsSeveralRegions() {
        domain.largestRegion = MIB;
        try (HostRegistration registration = HostRegistrations.register(domain, ADDRESS, 4 * MIB + 8, LOCAL)) {
            assertThat(registration.regions()).hasSize(5);
            assertThat(registration.regions().get(4).length()).isEqualTo(8);
            assertThat(registration.regionAt(ADDRESS + 3 * MIB))
                    .isSameAs(registration.regions().get(3));
            assertThat(registration.contiguousBytes(ADDRESS + MIB - 4)).isEqualTo(4);
            assertThat(registration.contiguousBytes(ADDRESS + MIB)).isEqualTo(MIB);
            assertThat(registration.contiguousBytes(ADDRESS + 4 * MIB)).isEqualTo(8);
            assertThatThrownBy(() -> registration.regionAt(ADDRESS + 4 * MIB + 8))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(registration.toString()).doesNotContain(Long.toString(ADDRESS));
        }
        assertThat(domain.live).isEmpty();
    }

    @Test
    void whenTheRangeIsEmptyThenNothingIsRegistered() {
        try (HostRegistration registration = HostRegistrations.register(domain, ADDRESS, 0, LOCAL)) {
            assertThat(registration.regions()).isEmpty();
            assertThat(domain.calls).isEmpty();
        }
        assertThatThrownBy(() -> HostRegistrations.register(domain, ADDRESS, -1, LOCAL))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whenAPartIsRefusedThenNothingStaysRegistered() {
        domain.largestRegion = MIB;
        domain.registrationError = Errno.ENOMEM;
        domain.goodRegistrations.set(2);
        assertThatThrownBy(() -> HostRegistrations.register(domain, ADDRESS, 4 * MIB, LOCAL))
                .isInstanceOf(MemoryRegistrationException.class)
                .hasMessageContainingAll("4 MiB", "fake0", "RLIMIT_MEMLOCK");
        assertThat(domain.live).isEmpty();
        assertThat(domain.deregistrations).hasValue(2);
    }

    @Test
    void whenDeregistrationFailsThenTheErrorSurfacesAndClosingAgainTriesAgain() {
        HostRegistration registration = HostRegistrations.register(domain, ADDRESS, MIB, LOCAL);
        domain.failingDeregistrations.set(1);
        assertThatThrownBy(registration::close).isInstanceOf(MemoryRegistrationException.class);
        assertThat(domain.live).hasSize(1);
        assertThatThrownBy(registration::regions).isInstanceOf(IllegalStateException.class);
        registration.close();
        registration.close();
        assertThat(domain.deregistrations).hasValue(1);
    }

    @Test
    void limitsOfTheKernelAreReadable() {
        String limits =
                "Limit  Soft Limit  Hard Limit  Units\nMax locked memory         65536      unlimited   bytes\n";
        assertThat(MemoryLockLimits.describe(limits, "CapEff:\t0000000000004000\n"))
                .isEqualTo("RLIMIT_MEMLOCK is 64 KiB soft, unlimited hard, CAP_IPC_LOCK is held");
        assertThat(MemoryLockLimits.describe(limits, "CapEff:\t0000003fffffbfff\n"))
                .endsWith("is not held");
        assertThat(MemoryLockLimits.describe("", "")).isEqualTo("RLIMIT_MEMLOCK is not known");
    }
}

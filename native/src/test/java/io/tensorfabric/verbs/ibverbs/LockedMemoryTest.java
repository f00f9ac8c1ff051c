package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LockedMemoryTest {

    private static final String LIMITS = """
            Limit                     Soft Limit           Hard Limit           Units
            Max locked memory         65536                unlimited            bytes
            """;

    @Test
    void whenLimitsAreReadThenBothAndTheCapabilityAreTold() {
        assertThat(LockedMemory.describe(LIMITS, "CapEff:\t0000000000004000\n"))
                .isEqualTo("RLIMIT_MEMLOCK is 65536 bytes soft, unlimited hard, CAP_IPC_LOCK is held");
        assertThat(LockedMemory.describe(LIMITS, "CapEff:\t0000000000000000\n")).endsWith("CAP_IPC_LOCK is not held");
        assertThat(LockedMemory.describe("", "")).isEqualTo("RLIMIT_MEMLOCK is not known");
    }
}

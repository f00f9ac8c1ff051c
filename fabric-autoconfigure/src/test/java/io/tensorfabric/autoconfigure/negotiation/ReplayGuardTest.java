package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.autoconfigure.negotiation.ReplayGuard.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReplayGuardTest {

    @Test
    void whenTheWindowIsOverThenNoncesAreForgotten() {
        ReplayGuard guard = new ReplayGuard(Duration.ofSeconds(30), 10);
        assertThat(guard.use("a", "n", 0)).isEqualTo(Verdict.FRESH);
        assertThat(guard.use("b", "n", 0)).isEqualTo(Verdict.FRESH);
        assertThat(guard.use("a", "n", 60_000)).isEqualTo(Verdict.REPLAYED);
        assertThat(guard.use("a", "m", 60_001)).isEqualTo(Verdict.FRESH);
        assertThat(guard.size()).isEqualTo(1);
    }

    @Test
    void whenFullThenItRefusesRatherThanForgets() {
        ReplayGuard guard = new ReplayGuard(Duration.ofSeconds(30), 1);
        guard.use("a", "1", 0);
        assertThat(guard.use("a", "2", 1)).isEqualTo(Verdict.FULL);
        assertThat(guard.use("a", "1", 1)).isEqualTo(Verdict.REPLAYED);
    }
}

package io.tensorfabric.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.PeerState;
import io.tensorfabric.connection.PeerStatus;
import io.tensorfabric.verbs.PortState;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The words of the health. What it is for a whole node is tested end to end. */
class FabricHealthIndicatorTest {

    private static PeerStatus peer(PeerState state, int failures) {
        return new PeerStatus("b", null, state, null, 3, failures, "no route", Instant.EPOCH, null);
    }

    @Test
    void whenThePortIsDownThenTheReasonSaysForHowLong() {
        assertThat(FabricHealthIndicator.portReason(PortState.DOWN)).contains("has been DOWN for more than 15 s");
    }

    @Test
    void whenThePortIsBackButNotYetTrustedThenTheReasonSaysSo() {
        assertThat(FabricHealthIndicator.portReason(PortState.ACTIVE))
                .contains("ACTIVE again")
                .contains("15 s")
                .doesNotContain("has been ACTIVE for more");
    }

    @Test
    void whenAPeerThatFailedIsConnectedAgainThenItsOldFailureIsNotShown() {
        assertThat(FabricHealthIndicator.text(peer(PeerState.UP, 2))).isEqualTo("UP");
        assertThat(FabricHealthIndicator.text(peer(PeerState.FAILED, 2))).isEqualTo("FAILED: no route");
        assertThat(FabricHealthIndicator.text(peer(PeerState.CONNECTING, 2))).isEqualTo("CONNECTING: no route");
        assertThat(FabricHealthIndicator.text(peer(PeerState.IDLE, 0))).isEqualTo("IDLE");
    }
}

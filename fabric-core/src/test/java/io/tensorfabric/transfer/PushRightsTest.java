package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PushRightsTest {

    private static SoftPair whereAMayOnlyPull() {
        return new SoftPair(
                TransferOptions.builder().landingZoneSize(1 << 20),
                builder -> builder.policy(nodeId ->
                        nodeId.equals(TwoNodes.A) ? EnumSet.of(PeerRight.PULL) : EnumSet.allOf(PeerRight.class)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2_000_000})
    void whenThePeerMayNotPushThenItsPushFailsAndNoListenerSeesIt(int bytes) {
        try (SoftPair pair = whereAMayOnlyPull();
                Tensor tensor = tensor("t", bytes, 1)) {
            var kept = pair.keepAtB();
            TransferException refusal = failure(pair.a().push(TwoNodes.B, tensor, PushOptions.defaults()));
            // An empty tensor needs no zone, so that its refusal comes as an answer.
            assertThat(refusal)
                    .isExactlyInstanceOf(
                            bytes == 0 ? TransferRejectedException.class : TransferNotPermittedException.class);
            assertThat(refusal.kind()).isEqualTo(TransferException.Kind.REJECTED);
            assertThat(refusal).hasMessageContaining("may not push");
            assertThat(kept).isEmpty();
            assertThat(pair.nodes.b().pool().holders())
                    .noneMatch(holder -> holder.toString().contains("landing zone"));
        }
    }

    @Test
    void whenOnlyTheOtherEndMayPushThenItsTensorsArriveOverTheSameConnection() throws Exception {
        try (SoftPair pair = whereAMayOnlyPull();
                Tensor tensor = tensor("t", 100_000, 1)) {
            pair.nodes.connect();
            pair.a().register("a", "*", "*", ReceivedTensor::close);
            assertThat(pair.b()
                            .push(TwoNodes.A, tensor, PushOptions.defaults())
                            .get(20, TimeUnit.SECONDS)
                            .bytes())
                    .isEqualTo(100_000);
            assertThat(pair.nodes.b().manager().connections()).hasSize(1);
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pushes that ask for a kind of memory at peers without a GPU, of this version and of the one before. */
@Timeout(30)
class LandingTest {

    @ParameterizedTest
    @CsvSource({"false, ANY", "false, HOST", "true, ANY", "true, HOST"})
    void whenTensorsLandSoAnywayThenTheyArrive(boolean former, LandingKind wish) throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 1000, 1)) {
            pair.right.former = former;
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            TransferReceipt receipt =
                    pair.left.transfers().to("right").landing(wish).pushAndWait(tensor);
            assertThat(receipt.path()).isEqualTo(TransferPath.HOST);
            try (ReceivedTensor received = kept.take()) {
                assertThat(received.tensor().kind()).isEqualTo(MemoryKind.HOST);
            }
        }
    }

    /** The first one comes before the connection, and with it the peer's word, is there. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1000, 200_000, 2 << 20})
    void whenThePeerUsesNoGpuThenAPushIntoOneFailsBeforeAByteIsSentAndOthersGoOn(int size) throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", size, 1);
                Tensor other = tensor("other", 1000, 2)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            PushSpec spec = pair.left.transfers().to("right");
            for (int i = 0; i < 2; i++) {
                TransferException e = failure(spec.landing(LandingKind.DEVICE).push(tensor));
                assertThat(e)
                        .isInstanceOf(LandingUnavailableException.class)
                        .hasMessageContaining("'t'")
                        .hasMessageContaining("'right'")
                        .hasMessageContaining("DEVICE")
                        .hasMessageContaining("no GPU")
                        .hasMessageContaining("'fabric.gpu'");
                assertThat(e.kind()).isEqualTo(TransferException.Kind.REJECTED);
                assertThat(e.isRetryable()).isFalse();
            }
            assertThat(pair.left.faults.writes).hasValue(0);
            spec.pushAndWait(other);
            kept.take().close();
            assertThat(kept).isEmpty();
            assertThat(pair.left.connects).hasValue(1);
            await().until(() -> pair.left.transfers().statistics().pushesInFlight() == 0);
        }
    }

    @Test
    void whenThePeerIsOfAFormerVersionThenAPushThatItWouldMisreadFailsHere() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 1000, 1)) {
            pair.right.former = true;
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            PushSpec spec = pair.left.transfers().to("right").landing(LandingKind.DEVICE);
            assertThatThrownBy(() -> spec.pushAndWait(tensor))
                    .isInstanceOf(LandingUnavailableException.class)
                    .hasMessageContaining("version");
            assertThatThrownBy(() -> spec.pushAllAndWait(List.of(tensor, tensor)))
                    .isInstanceOf(LandingUnavailableException.class)
                    .hasMessageContaining("Push of 2 tensors");
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            kept.take().close();
            assertThat(pair.left.connects).hasValue(1);
        }
    }

    @Test
    void whenASenderAsksForWhatWasNotOfferedThenItsConnectionEnds() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 1000, 1)) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            kept.take().close();
            FakeConnection right = pair.right.connection();
            ByteBuffer body = ProtocolExamples.empty();
            TensorMessage.write(body, 99, 1, PushOptions.defaults(), LandingKind.DEVICE, 0, 1, 0, tensor.descriptor());
            pair.right.transfers().received(right, right.lane(0), TransferMessages.TENSOR, body.flip());
            await().until(() -> right.failure() != null);
            assertThat(right.failure()).hasMessageContaining("not offered");
            assertThat(kept).isEmpty();
        }
    }
}

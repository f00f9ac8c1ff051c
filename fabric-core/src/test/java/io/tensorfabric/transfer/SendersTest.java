package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.assertFilled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SendersTest {

    private final BlockingQueue<ReceivedTensor> kept = new LinkedBlockingQueue<>();

    @Test
    void whenTwoSendersUseTheSameNumberThenNeitherCompletesTheOther() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor slow = tensor("p", 500_000, 0x50);
                Tensor fast = tensor("q", 100_000, 0x51)) {
            FakeNode third = new FakeNode("third", small().build(), 64 << 20);
            third.knows(pair.right);
            try (third) {
                pair.right.transfers().register("keep", "*", "*", kept::add);
                pair.left.faults.stopWire();
                CompletableFuture<TransferReceipt> p = pair.left.transfers().push("right", slow);
                TransferReceipt q = third.transfers().push("right", fast).get(10, TimeUnit.SECONDS);
                assertThat(q.transferId()).isEqualTo(1);
                try (ReceivedTensor received = kept.take()) {
                    assertThat(received.peer()).isEqualTo("third");
                    assertFilled(received.tensor(), 0x51);
                }
                assertThat(p).isNotDone();
                pair.left.faults.resume();
                assertThat(p.get(10, TimeUnit.SECONDS).transferId()).isEqualTo(1);
                try (ReceivedTensor received = kept.take()) {
                    assertThat(received.peer()).isEqualTo("left");
                    assertFilled(received.tensor(), 0x50);
                }
                assertThat(pair.right.transfers().statistics().duplicates()).isZero();
            }
            third.end();
        }
    }

    @Test
    void whenASenderRestartedThenItsNumbersStartAnew() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 100, 1)) {
            pair.right.transfers().register("close", "*", "*", ReceivedTensor::close);
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            FakeNode again = new FakeNode("left", small().build(), 64 << 20);
            again.knows(pair.right);
            try (again) {
                TransferReceipt receipt =
                        again.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
                assertThat(receipt.transferId()).isEqualTo(1);
                await().until(() -> pair.right.transfers().statistics().received() == 2);
            }
            again.end();
        }
    }
}

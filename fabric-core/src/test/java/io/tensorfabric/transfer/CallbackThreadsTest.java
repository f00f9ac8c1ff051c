package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.FakePair.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CallbackThreadsTest {

    @Test
    void whenPushesEndTogetherAndTheCallbackOfOneBlocksThenTheOthersGoOn() throws Exception {
        try (FakePair pair = new FakePair(small().callbackThreads(2));
                Tensor tensor = tensor("t", 10, 1)) {
            pair.right.transfers().register("all", "*", "*", ReceivedTensor::close);
            pair.right.faults.dropMessages = true;
            CompletableFuture<TransferReceipt> first = pair.left.transfers().push("right", tensor);
            CompletableFuture<TransferReceipt> second = pair.left.transfers().push("right", tensor);
            CountDownLatch go = new CountDownLatch(1);
            CompletableFuture<Void> blocked = first.thenRun(() -> awaitOpen(go));
            CompletableFuture<Void> free = second.thenRun(() -> {});
            await().until(() -> pair.right.transfers().statistics().received() == 2);
            FakeConnection left = pair.left.connection();
            await().until(() -> {
                answer(pair, left);
                return first.isDone();
            });
            assertThat(free).succeedsWithin(10, TimeUnit.SECONDS);
            assertThat(blocked).isNotDone();
            go.countDown();
            assertThat(blocked).succeedsWithin(10, TimeUnit.SECONDS);
        }
    }

    private static void awaitOpen(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One message for both, the first pushes of their node. */
    private static void answer(FakePair pair, FakeConnection left) {
        Answers answers = new Answers();
        answers.accepted(1);
        answers.accepted(2);
        ByteBuffer body = ProtocolExamples.empty();
        answers.writeTo(body);
        pair.left.transfers().received(left, left.lane(0), TransferMessages.ANSWERS, body.flip());
    }
}

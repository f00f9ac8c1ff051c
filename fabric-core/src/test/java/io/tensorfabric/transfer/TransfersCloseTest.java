package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TransfersCloseTest {

    @Test
    void whenClosedThenWorkUnderWayEndsAndNewWorkIsRefused() throws Exception {
        FakePair pair = new FakePair();
        try (pair;
                Tensor tensor = tensor("t", 10, 1)) {
            CountDownLatch go = new CountDownLatch(1);
            pair.right.transfers().register("slow", "*", "*", received -> {
                go.await();
                received.close();
            });
            PushOptions options = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
            CompletableFuture<TransferReceipt> under = pair.left.transfers().push("right", tensor, options);
            CompletableFuture<Void> closed =
                    CompletableFuture.runAsync(() -> pair.left.transfers().close(Duration.ofSeconds(10)));
            await().untilAsserted(() -> assertThat(
                            failure(pair.left.transfers().push("right", tensor)).kind())
                    .isEqualTo(TransferException.Kind.CLOSED));
            assertThat(under).isNotDone();
            assertThat(closed).isNotDone();
            go.countDown();
            under.get(10, TimeUnit.SECONDS);
            closed.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenClosingTakesTooLongThenTheRestFails() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            AtomicBoolean interrupted = new AtomicBoolean();
            pair.right.transfers().register("stuck", "*", "*", received -> {
                try (received) {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.set(true);
                    throw e;
                }
            });
            PushOptions options = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
            CompletableFuture<TransferReceipt> under = pair.left.transfers().push("right", tensor, options);
            await().until(() -> pair.right.transfers().statistics().openTensors() == 1);
            pair.left.transfers().close(Duration.ofMillis(50));
            TransferException e = failure(under);
            assertThat(e.kind()).isEqualTo(TransferException.Kind.CLOSED);
            assertThat(e).hasMessageContaining("shutting down");
            pair.right.transfers().close(Duration.ofMillis(50));
            await().untilTrue(interrupted);
        }
    }

    @Test
    void whenANodeQuiescesThenArrivalsAreToldSoWhileItsOwnPushesAndListenersGoOn() throws Exception {
        try (FakePair pair = new FakePair(FakePair.small().retry(new RetryOptions(2, Duration.ofMillis(5), 1)));
                Tensor tensor = tensor("t", 10, 1)) {
            CountDownLatch go = new CountDownLatch(1);
            pair.left.transfers().register("all", "*", "*", ReceivedTensor::close);
            pair.right.transfers().register("slow", "*", "*", received -> {
                go.await();
                received.close();
            });
            PushOptions options = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);
            CompletableFuture<TransferReceipt> under = pair.left.transfers().push("right", tensor, options);
            await().until(() -> pair.right.transfers().statistics().openTensors() == 1);
            assertThat(pair.right.transfers().quiesce(Duration.ofMillis(50))).isFalse();
            TransferException e = failure(pair.left.transfers().push("right", tensor, options));
            assertThat(e).hasMessageContaining("is shutting down");
            assertThat(e.kind()).isEqualTo(TransferException.Kind.PEER_LOST);
            assertThat(e).hasMessageContaining("attempt 2").hasMessageContaining("'right'");
            pair.right.transfers().push("left", tensor, options).get(10, TimeUnit.SECONDS);
            go.countDown();
            under.get(10, TimeUnit.SECONDS);
            assertThat(pair.right.transfers().quiesce(Duration.ofSeconds(10))).isTrue();
        }
    }

    @Test
    void whenTheRefusalOvertakesTheCompletionOfItsWriteThenThePushTriesAgainAllTheSame() throws Exception {
        try (FakePair pair = new FakePair(FakePair.small().retry(new RetryOptions(2, Duration.ofMillis(5), 1)));
                Tensor tensor = tensor("t", 10, 1)) {
            pair.right.transfers().register("all", "*", "*", ReceivedTensor::close);
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            pair.right.transfers().quiesce(Duration.ofSeconds(10));
            pair.left.faults.holdWireCompletions();
            CompletableFuture<TransferReceipt> future = pair.left.transfers().push("right", tensor);
            await().until(() -> pair.right.transfers().statistics().rejected() == 1);
            // Whatever the refusal passes on its way has done its work after this.
            for (ExecutorService step : List.of(pair.right.poller, pair.right.wire, pair.left.poller)) {
                step.submit(() -> {}).get(10, TimeUnit.SECONDS);
            }
            assertThat(future).isNotDone();
            pair.left.faults.resume();
            assertThat(failure(future)).hasMessageContaining("attempt 2");
            assertThat(pair.right.transfers().statistics().rejected()).isEqualTo(2);
        }
    }
}

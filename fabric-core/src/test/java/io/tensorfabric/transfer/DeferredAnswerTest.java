package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DeferredAnswerTest {

    private static final PushOptions PROCESSED = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);

    private final BlockingQueue<Acknowledgment> answers = new LinkedBlockingQueue<>();

    private void deferAtRight(FakePair pair) {
        pair.right.transfers().register("later", "*", "*", received -> {
            answers.add(received.defer());
            received.close();
        });
    }

    private Acknowledgment nextAnswer() throws InterruptedException {
        Acknowledgment answer = answers.poll(10, TimeUnit.SECONDS);
        assertThat(answer).isNotNull();
        return answer;
    }

    @Test
    void whenTheAnswerIsPutOffThenTheSenderHearsItWhenItIsGiven() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            deferAtRight(pair);
            CompletableFuture<TransferReceipt> push = pair.left.transfers().push("right", tensor, PROCESSED);
            Acknowledgment answer = nextAnswer();
            assertThat(pair.right.transfers().quiesce(Duration.ofMillis(50))).isFalse();
            assertThat(push).isNotDone();
            assertThat(answer.isEnded()).isFalse();
            answer.acknowledge();
            answer.acknowledge();
            answer.fail(new IllegalStateException("too late"));
            assertThat(answer.isEnded()).isTrue();
            assertThat(push.get(10, TimeUnit.SECONDS).level()).isEqualTo(ReceiptLevel.PROCESSED);
            assertThat(pair.right.transfers().quiesce(Duration.ofSeconds(10))).isTrue();
            assertThat(pair.right.transfers().statistics().received()).isEqualTo(1);
        }
    }

    @Test
    void whenAnswersArePutOffThenTheThreadGoesOnWithOtherTensors() throws Exception {
        try (FakePair pair = new FakePair(FakePair.small().listenerThreads(1));
                Tensor tensor = tensor("t", 10, 1)) {
            deferAtRight(pair);
            List<CompletableFuture<TransferReceipt>> pushes = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                pushes.add(pair.left.transfers().push("right", tensor, PROCESSED));
            }
            await().until(() -> answers.size() == 5);
            assertThat(pushes).noneMatch(CompletableFuture::isDone);
            answers.forEach(Acknowledgment::acknowledge);
            for (CompletableFuture<TransferReceipt> push : pushes) {
                push.get(10, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void whenTheAnswerIsAFailureThenTheSenderHearsTheReason() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            BlockingQueue<ReceivedTensor> open = new LinkedBlockingQueue<>();
            pair.right.transfers().register("later", "*", "*", received -> {
                answers.add(received.defer());
                open.add(received);
            });
            CompletableFuture<TransferReceipt> failing = pair.left.transfers().push("right", tensor, PROCESSED);
            nextAnswer().fail(new IllegalStateException("no model"));
            assertThat(failure(failing).kind()).isEqualTo(TransferException.Kind.LISTENER_FAILED);
            assertThat(failure(failing)).hasMessageContaining("no model");
            assertThat(open.take().tensor().isClosed()).isTrue();
            CompletableFuture<TransferReceipt> full = pair.left.transfers().push("right", tensor, PROCESSED);
            nextAnswer().fail(new TensorRefusedException("store full", true));
            assertThat(failure(full).kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
            CompletableFuture<TransferReceipt> unwanted = pair.left.transfers().push("right", tensor, PROCESSED);
            nextAnswer().fail(new TensorRefusedException("not of my kind", false));
            assertThat(failure(unwanted).kind()).isEqualTo(TransferException.Kind.REJECTED);
        }
    }

    @Test
    void whenTheListenerThrowsAfterPuttingTheAnswerOffThenThatIsTheAnswer() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            pair.right.transfers().register("later", "*", "*", received -> {
                answers.add(received.defer());
                throw new IllegalStateException("after all");
            });
            CompletableFuture<TransferReceipt> push = pair.left.transfers().push("right", tensor, PROCESSED);
            assertThat(failure(push)).hasMessageContaining("after all");
            assertThat(nextAnswer().isEnded()).isTrue();
            assertThat(pair.right.transfers().quiesce(Duration.ofSeconds(10))).isTrue();
        }
    }

    @Test
    void whenTheAnswerIsPutOffTwiceOrTooLateThenItIsRefused() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            BlockingQueue<ReceivedTensor> seen = new LinkedBlockingQueue<>();
            pair.right.transfers().register("now", "now", "*", received -> {
                received.close();
                seen.add(received);
            });
            pair.right.transfers().register("twice", "*", "*", received -> {
                received.defer();
                received.defer();
            });
            assertThat(failure(pair.left.transfers().push("right", tensor, PROCESSED)))
                    .hasMessageContaining("put off before");
            try (Tensor now = tensor("now", 10, 1)) {
                pair.left.transfers().push("right", now, PROCESSED).get(10, TimeUnit.SECONDS);
            }
            ReceivedTensor late = seen.take();
            assertThatThrownBy(late::defer)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("given already");
        }
    }

    @Test
    void whenTheListenerIsPausedThenSendersHearSoUntilItIsResumed() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            TensorListenerRegistry.Registration listener =
                    pair.right.transfers().register("pausing", "*", "*", ReceivedTensor::close);
            pair.right.transfers().register("next", "*", "*", received -> {
                throw new AssertionError("a paused listener's tensors are for nobody else");
            });
            listener.pause();
            TransferException refused = failure(pair.left.transfers().push("right", tensor));
            assertThat(refused.kind()).isEqualTo(TransferException.Kind.BACKPRESSURE);
            assertThat(refused).hasMessageContaining("paused");
            listener.resume();
            pair.left.transfers().push("right", tensor, PROCESSED).get(10, TimeUnit.SECONDS);
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PushSpecTest {

    @Test
    void whenASpecIsPutTogetherThenItsOptionsSaySo() {
        try (FakePair pair = new FakePair()) {
            PushSpec spec = pair.left.transfers().to("right");
            PushOptions options = spec.header("a", "1")
                    .headers(Map.of("b", "2", "a", "3"))
                    .deadline(Duration.ofSeconds(3))
                    .checksum()
                    .receipt(ReceiptLevel.PLACED)
                    .options();
            assertThat(options.headers()).isEqualTo(Map.of("a", "3", "b", "2"));
            assertThat(options.deadline()).isEqualTo(Duration.ofSeconds(3));
            assertThat(options.checksum()).isTrue();
            assertThat(options.receipt()).isEqualTo(ReceiptLevel.PLACED);
            assertThat(spec.options()).isEqualTo(PushOptions.defaults());
        }
    }

    @Test
    void whenANameIsGivenThenTheTensorArrivesUnderItAndItsMemoryGoesBack() throws Exception {
        try (FakePair pair = new FakePair()) {
            BlockingQueue<ReceivedTensor> kept = pair.keepAtRight();
            CountDownLatch freed = new CountDownLatch(1);
            Tensor owner = tensor("own", 100, 7);
            Tensor watched = Tensor.of(owner.descriptor(), owner.address(), () -> {
                owner.close();
                freed.countDown();
            });
            TransferReceipt receipt = pair.left
                    .transfers()
                    .to("right")
                    .name("other")
                    .header("k", "v")
                    .pushAndWait(watched);
            assertThat(receipt.tensor()).isEqualTo("other");
            try (ReceivedTensor received = kept.take()) {
                assertThat(received.tensor().name()).isEqualTo("other");
                assertThat(received.headers()).isEqualTo(Map.of("k", "v"));
                PushTest.assertFilled(received.tensor(), 7);
            }
            assertThat(watched.isClosed()).isFalse();
            watched.close();
            assertThat(freed.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void whenAWaitingPushFailsThenTheFailureIsThrown() {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            TransferException e = catchThrowableOfType(
                    TransferException.class,
                    () -> pair.left.transfers().to("nobody").pushAndWait(tensor));
            assertThat(e).isInstanceOf(UnknownPeerException.class);
            assertThat(e.getCause()).isInstanceOf(TransferException.class);
            assertThat(e.getStackTrace()).anyMatch(frame -> frame.getClassName().contains("PushSpecTest"));
        }
    }

    @Test
    void whenTheWaitingThreadIsInterruptedThenThePushIsCancelled() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            CountDownLatch go = new CountDownLatch(1);
            pair.right.transfers().register("slow", "*", "*", received -> {
                go.await();
                received.close();
            });
            CompletableFuture<Object> outcome = new CompletableFuture<>();
            Thread waiting = new Thread(() -> {
                try {
                    pair.left
                            .transfers()
                            .to("right")
                            .receipt(ReceiptLevel.PROCESSED)
                            .pushAndWait(tensor);
                } catch (TransferException e) {
                    outcome.complete(e.kind() + " " + Thread.currentThread().isInterrupted());
                }
            });
            waiting.start();
            await().until(() -> pair.right.transfers().statistics().openTensors() == 1);
            waiting.interrupt();
            assertThat(outcome.get(10, TimeUnit.SECONDS)).isEqualTo("CANCELLED true");
            await().until(() -> pair.left.transfers().statistics().pushesCancelled() == 1);
            go.countDown();
        }
    }

    @Test
    void whenAPushIsLongThenItsProgressIsToldAndNeverGoesBack() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 3 << 20, 1)) {
            pair.keepAtRight();
            BlockingQueue<Long> told = new LinkedBlockingQueue<>();
            pair.left
                    .transfers()
                    .to("right")
                    .onProgress((placed, total) -> {
                        assertThat(total).isEqualTo(3 << 20);
                        told.add(placed);
                        throw new IllegalStateException("logged and ignored");
                    })
                    .pushAndWait(tensor);
            List<Long> steps = List.copyOf(told);
            assertThat(steps).isNotEmpty().isSorted().doesNotHaveDuplicates().allMatch(step -> step <= 3 << 20);
        }
    }

    @Test
    void whenSeveralArePushedThenTheReceiptsComeInTheirOrder() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor one = tensor("one", 300_000, 1);
                Tensor two = tensor("two", 10, 2)) {
            pair.right.transfers().register("all", "*", "*", ReceivedTensor::close);
            PushSpec spec = pair.left.transfers().to("right").receipt(ReceiptLevel.PROCESSED);
            assertThat(spec.pushAllAndWait(List.of(one, two)))
                    .extracting(TransferReceipt::tensor)
                    .containsExactly("one", "two");
            assertThat(spec.pushAll(List.of()).get(1, TimeUnit.SECONDS)).isEmpty();
            assertThatThrownBy(() -> spec.name("n").pushAll(List.of(one))).hasMessageContaining("own names");
        }
    }

    @Test
    void whenOneOfSeveralFailsThenTheOthersAreCancelledAndTheFailureSaysHowManyArrived() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor good = tensor("good", 10, 1);
                Tensor stuck = tensor("stuck", 10, 1);
                Tensor bad = tensor("bad", 10, 1)) {
            CountDownLatch go = new CountDownLatch(1);
            CountDownLatch isStuck = new CountDownLatch(1);
            pair.right.transfers().register("good", "good", "*", ReceivedTensor::close);
            pair.right.transfers().register("stuck", "stuck", "*", received -> {
                isStuck.countDown();
                go.await();
                received.close();
            });
            pair.right.transfers().register("bad", "bad", "*", received -> {
                isStuck.await();
                await().until(() -> pair.left.transfers().statistics().pushed() == 1);
                throw new IllegalStateException("no model");
            });
            CompletableFuture<List<TransferReceipt>> all = pair.left
                    .transfers()
                    .to("right")
                    .receipt(ReceiptLevel.PROCESSED)
                    .pushAll(List.of(good, stuck, bad));
            TransferException e = failure(all);
            assertThat(e.kind()).isEqualTo(TransferException.Kind.LISTENER_FAILED);
            assertThat(e).hasMessageContaining("3 tensors").hasMessageContaining("1 of them arrived: ");
            assertThat(pair.left.transfers().statistics().pushesCancelled()).isEqualTo(1);
            go.countDown();
        }
    }

    @Test
    void whenAPushOfSeveralIsCancelledThenAllAre() throws Exception {
        try (FakePair pair = new FakePair();
                Tensor tensor = tensor("t", 10, 1)) {
            CountDownLatch go = new CountDownLatch(1);
            pair.right.transfers().register("slow", "*", "*", received -> {
                go.await();
                received.close();
            });
            CompletableFuture<List<TransferReceipt>> all = pair.left
                    .transfers()
                    .to("right")
                    .receipt(ReceiptLevel.PROCESSED)
                    .pushAll(List.of(tensor, tensor));
            assertThat(all.cancel(true)).isTrue();
            await().until(() -> pair.left.transfers().statistics().pushesCancelled() == 2);
            go.countDown();
        }
    }
}

package io.tensorfabric.service.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.service.store.StoredTensor;
import io.tensorfabric.service.store.TestStore;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.ConnectionLostException;
import io.tensorfabric.transfer.PublishOptions;
import io.tensorfabric.transfer.PublishedTensor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.RegionOptions;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import io.tensorfabric.transfer.TransferPath;
import io.tensorfabric.transfer.TransferReceipt;
import io.tensorfabric.transfer.TransferStatus;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PushJobTest {

    private final TestStore store = new TestStore();

    private final Scripted transfers = new Scripted();

    @AfterEach
    void whenThePushEndedThenNoTensorIsInUse() {
        assertThat(store.usedBytesAfterDeletingAll()).isZero();
    }

    @Test
    void whenAllTensorsArriveThenThePushIsDone() {
        PushJob job = start(2, 3);
        assertThat(transfers.underWay).hasSize(2);

        transfers.succeed("t0");
        assertThat(transfers.underWay).containsOnlyKeys("t1", "t2");
        assertThat(job.view().state()).isEqualTo(PushView.State.RUNNING);
        transfers.succeed("t2");
        transfers.succeed("t1");

        PushView view = job.view();
        assertThat(view.state()).isEqualTo(PushView.State.DONE);
        assertThat(view.tensorsDone()).isEqualTo(3);
        assertThat(view.bytesDone()).isEqualTo(view.bytes()).isEqualTo(3 * TestStore.BYTES);
        assertThat(view.results()).extracting(PushedTensor::tensor).containsExactly("t0", "t2", "t1");
        assertThat(job.done()).isCompleted();
    }

    @Test
    void whenATensorFailsThenNoFurtherOneStartsAndThePushFailsWhenTheOthersEnded() {
        PushJob job = start(2, 4);

        transfers.fail("t0", new ConnectionLostException("p", "peer p was lost", null, null));

        assertThat(transfers.underWay).containsOnlyKeys("t1");
        assertThat(job.done()).isNotCompleted();
        transfers.succeed("t1");
        assertThat(job.done()).isCompleted();
        assertThat(job.view().state()).isEqualTo(PushView.State.FAILED);
        assertThat(job.view().error()).isEqualTo("peer p was lost");
        assertThat(job.view().tensorsDone()).isEqualTo(1);
        assertThat(job.failure()).isInstanceOf(TransferException.class);
    }

    @Test
    void whenPushThrowsThenThePushFails() {
        transfers.refuse = true;

        PushJob job = start(1, 2);

        assertThat(job.view().state()).isEqualTo(PushView.State.FAILED);
        assertThat(job.view().error()).isEqualTo("refused");
    }

    @Test
    void whenThereIsNothingToPushThenItIsDoneAtOnce() {
        assertThat(start(4, 0).view().state()).isEqualTo(PushView.State.DONE);
    }

    @Test
    void whenATensorIsUnderWayThenItsPlacedBytesCount() {
        PushJob job = start(1, 2);
        transfers.placed = 5;

        assertThat(job.view().bytesDone()).isEqualTo(5);
        transfers.succeed("t0");
        transfers.succeed("t1");
    }

    private PushJob start(int window, int tensors) {
        List<StoredTensor.Use> uses = store.tensors(tensors);
        PushJob job = new PushJob("file", "p", uses, PushOptions.defaults(), transfers, Runnable::run);
        job.start(window);
        return job;
    }

    /** A transfer service whose pushes end when the test says so. */
    private static final class Scripted implements TensorTransferService {

        private final Map<String, CompletableFuture<TransferReceipt>> underWay = new LinkedHashMap<>();

        private boolean refuse;

        private long placed;

        @Override
        public CompletableFuture<TransferReceipt> push(String peer, Tensor tensor, PushOptions options) {
            if (refuse) {
                throw new IllegalStateException("refused");
            }
            CompletableFuture<TransferReceipt> future = new CompletableFuture<>();
            underWay.put(tensor.name(), future);
            return future;
        }

        @Override
        public CompletableFuture<List<TransferReceipt>> pushAll(
                String peer, Collection<Tensor> tensors, PushOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public PublishedTensor publish(Tensor tensor, PublishOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<TransferReceipt> pull(String peer, String name, Tensor into, RegionOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Tensor> pull(String peer, String name, RegionOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<TransferReceipt> put(String peer, String name, Tensor tensor, RegionOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<PublishedTensor> published() {
            return List.of();
        }

        void succeed(String tensor) {
            underWay.remove(tensor)
                    .complete(new TransferReceipt(
                            1,
                            "p",
                            tensor,
                            TestStore.BYTES,
                            ReceiptLevel.PROCESSED,
                            Duration.ofMillis(1),
                            1,
                            TransferPath.HOST));
        }

        void fail(String tensor, TransferException failure) {
            underWay.remove(tensor).completeExceptionally(failure);
        }

        @Override
        public List<TransferStatus> transfers() {
            return underWay.keySet().stream()
                    .map(name -> new TransferStatus(
                            1,
                            TransferStatus.Direction.OUT,
                            "p",
                            name,
                            TestStore.BYTES,
                            placed,
                            TransferStatus.State.WRITING,
                            java.time.Instant.EPOCH,
                            null,
                            null,
                            null))
                    .toList();
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.FakePair.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A listener at the right for names that begin with {@code group/}, which notes what it hears of. */
final class GroupListener {

    private final Queue<String> heard = new ConcurrentLinkedQueue<>();

    private final FakePair pair;

    private final TensorListenerRegistry.Registration registration;

    GroupListener(FakePair pair) {
        this.pair = pair;
        this.registration = pair.right.transfers().register("all", "group/*", "*", received -> {
            heard.add(received.tensor().name());
            received.close();
        });
    }

    /** One thread, so that a tensor that is heard of proves that earlier ones had their turn; and one zone for large tensors. */
    static TransferOptions.Builder options() {
        return small().listenerThreads(1).listenerThreadsPerPeer(1).maxDedicatedZonesPerPeer(1);
    }

    /** Takes room at the right with a tensor of its own, until the returned one is closed. */
    static ReceivedTensor block(FakePair pair, int bytes) throws Exception {
        BlockingQueue<ReceivedTensor> kept = new LinkedBlockingQueue<>();
        TensorListenerRegistry.Registration registration =
                pair.right.transfers().register("block", "block", "*", kept::add);
        try (Tensor block = tensor("block", bytes, 9)) {
            pair.left.transfers().push("right", block).get(10, TimeUnit.SECONDS);
            return kept.take();
        } finally {
            registration.close();
        }
    }

    Queue<String> heard() {
        return heard;
    }

    void close() {
        registration.close();
    }

    /** Whoever came before the tensor that this pushes had its turn. */
    void awaitTurn() throws Exception {
        try (Tensor later = tensor("group/later", 1, 3)) {
            pair.left.transfers().push("right", later).get(10, TimeUnit.SECONDS);
            await().until(() -> heard.contains("group/later"));
            assertThat(heard.remove("group/later")).isTrue();
        }
    }

    void awaitNothingOpen() {
        await().until(() -> pair.right.transfers().statistics().openTensors() == 0);
    }
}

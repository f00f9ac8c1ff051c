package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferReceipt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class GracefulShutdownTest {

    private static final PushOptions PROCESSED = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);

    @Test
    void whenTheSenderStopsThenItsPushesFinishFirst() throws Exception {
        assertFinishes(true);
    }

    @Test
    void whenTheReceiverStopsThenItsListenersFinishFirst() throws Exception {
        assertFinishes(false);
    }

    private static void assertFinishes(boolean stopSender) throws Exception {
        try (Node ranker = new Node("ranker-g", "127.0.0.1");
                Node feeder = new Node("feeder-g", "127.0.0.1", "fabric.peers=ranker=" + ranker.uri());
                Tensor tensor = Tensor.copyOf("slow/one", DataType.U8, Shape.of(3), new byte[] {1, 2, 3})) {
            Node.Listener listener = ranker.bean(Node.Listener.class);
            CompletableFuture<TransferReceipt> push =
                    feeder.bean(TensorTransferService.class).push("ranker", tensor, PROCESSED);
            assertThat(listener.slowBegan.poll(20, TimeUnit.SECONDS)).isEqualTo("slow/one");
            Node stopping = stopSender ? feeder : ranker;
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(stopping::close);
            Awaitility.await().until(stopping::isEnding);
            assertThat(push).isNotDone();
            listener.slowMayEnd.countDown();
            assertThat(push.get(20, TimeUnit.SECONDS).level()).isEqualTo(ReceiptLevel.PROCESSED);
            stopped.get(40, TimeUnit.SECONDS);
        }
    }
}

package io.tensorfabric.autoconfigure.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.event.TransferFailedEvent;
import io.tensorfabric.transfer.TransferPath;
import io.tensorfabric.transfer.TransferStatus;
import io.tensorfabric.transfer.TransferStatus.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEventPublisher;

@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class FabricEventsTest {

    private static TransferStatus status(long id, State state) {
        return new TransferStatus(
                id,
                TransferStatus.Direction.OUT,
                "peer",
                "t",
                1,
                0,
                state,
                Instant.EPOCH,
                Instant.EPOCH,
                "why",
                TransferPath.HOST);
    }

    @Test
    void whenATransferFailsThenItIsToldAndOtherEndsAreNot() throws Exception {
        List<Object> told = new CopyOnWriteArrayList<>();
        FabricEvents events = new FabricEvents((ApplicationEventPublisher) told::add, 10);
        events.transferEnded(status(1, State.DONE), Duration.ZERO);
        events.transferEnded(status(2, State.CANCELLED), Duration.ZERO);
        events.transferEnded(status(3, State.FAILED), Duration.ofMillis(5));
        events.destroy();
        assertThat(told).containsExactly(new TransferFailedEvent(status(3, State.FAILED), Duration.ofMillis(5)));
    }

    @Test
    void whenListenersAreSlowOrThrowThenTheFabricDoesNotWaitAndTheLogSaysWhatIsMissing(CapturedOutput output)
            throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch began = new CountDownLatch(1);
        List<Object> told = new CopyOnWriteArrayList<>();
        FabricEvents events = new FabricEvents(
                (ApplicationEventPublisher) event -> {
                    told.add(event);
                    began.countDown();
                    awaitQuietly(go);
                    throw new IllegalStateException("listener");
                },
                1);
        events.transferEnded(status(1, State.FAILED), Duration.ZERO);
        began.await();
        for (int i = 2; i <= 5; i++) {
            events.transferEnded(status(i, State.FAILED), Duration.ZERO);
        }
        go.countDown();
        await().until(() -> told.size() == 2);
        events.destroy();
        assertThat(output).contains("3 events were left out").contains("A listener of TransferFailedEvent failed");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.testing.RecordingHandler;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionTest {

    @Test
    void whenConnectedThenBothEndsAreUpAndDescribeTheirQueuePairs() {
        try (TwoNodes nodes = TwoNodes.start()) {
            Connection connection = nodes.connect();
            Connection other = nodes.otherEnd();
            assertThat(connection.state()).isEqualTo(ConnectionState.UP);
            assertThat(other.state()).isEqualTo(ConnectionState.UP);
            assertThat(connection.lanes())
                    .extracting(Lane::purpose)
                    .containsExactly(LanePurpose.CONTROL, LanePurpose.BULK, LanePurpose.BULK);
            assertThat(connection.mtu()).isEqualTo(4096).isEqualTo(other.mtu());
            assertThat(connection.peerName()).isEqualTo(TwoNodes.B);
            assertThat(connection.queuePairs()).hasSize(3).allSatisfy(status -> {
                assertThat(status.state()).isEqualTo(QueuePairState.RTS);
                assertThat(status.peerState()).isEqualTo(QueuePairState.RTS);
                assertThat(status.peerNumber())
                        .isEqualTo(other.queuePairs().get(status.lane()).number());
            });
            assertThat(nodes.a().device().usesMemoryWindows())
                    .as(nodes.a().device().memoryWindows())
                    .isTrue();
        }
    }

    @Test
    void whenWrittenAndAnnouncedThenThePeerSeesBytesBeforeMessage() throws Exception {
        try (TwoNodes nodes = TwoNodes.start()) {
            Connection connection = nodes.connect();
            Connection other = nodes.otherEnd();
            ZoneGrant zone = nodes.a().recording().zonesOf(connection).get(0);
            RecordingHandler receiver = nodes.b().recording();
            for (Lane lane : connection.lanes()) {
                try (BufferLease source = nodes.a().pool().acquire(8192, "test")) {
                    OffHeap.fill(source.address(), 8192, (byte) (0x40 + lane.index()));
                    CompletableFuture<WorkCompletionStatus> end = new CompletableFuture<>();
                    Transmission transmission = lane.begin(2, true);
                    assertThat(transmission).isNotNull();
                    transmission.write(
                            source.address(),
                            8192,
                            source.region().lkey(),
                            zone.address(),
                            zone.rkeys().get(lane.index()));
                    transmission.message(0x41).putLong(4711);
                    transmission.submit((on, token, status, vendor) -> end.complete(status), 7);
                    assertThat(end.get(5, TimeUnit.SECONDS)).isEqualTo(WorkCompletionStatus.SUCCESS);
                    await().until(() -> receiver.messages().size() == lane.index() + 1);
                    assertThat(receiver.messages().get(lane.index()).type()).isEqualTo(0x41);
                    assertThat(receiver.messages().get(lane.index()).body())
                            .hasSize(8)
                            .startsWith(0x67, 0x12);
                    assertThat(OffHeap.getByte(receiver.zoneAddress(other) + 8191))
                            .isEqualTo((byte) (0x40 + lane.index()));
                }
            }
        }
    }

    /** An end is UP when the other's last greeting came, which is before the other has told its handler. */
    @Test
    void whenTheOtherEndIsNotQuiteUpThenARequestForAZoneWaitsForIt() throws Exception {
        try (TwoNodes nodes = TwoNodes.start()) {
            CountDownLatch go = new CountDownLatch(1);
            nodes.b().recording().onUp(() -> awaitQuietly(go));
            Connection connection = TwoNodes.connect(nodes.a(), TwoNodes.B);
            CompletableFuture<ZoneGrant> zone =
                    CompletableFuture.supplyAsync(() -> connection.requestZone(4096, Duration.ofSeconds(5)));
            await().during(Duration.ofMillis(100)).until(() -> !zone.isDone());
            go.countDown();
            assertThat(zone.get(5, TimeUnit.SECONDS).size()).isEqualTo(4096);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(5, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

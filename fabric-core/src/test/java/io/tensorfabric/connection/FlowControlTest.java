package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.testing.TestNode;
import io.tensorfabric.testing.TwoNodes;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Credits, room and misuse of lanes. */
@Timeout(60)
class FlowControlTest {

    @Test
    void whenBothEndsFloodEachOtherThenCreditsKeepAllMessagesInOrder() throws Exception {
        int messages = 5000;
        try (TwoNodes nodes = TwoNodes.start(builder -> builder.options(TwoNodes.quickOptions()
                .receiveCredits(ConnectionOptions.MIN_CREDITS)
                .build()))) {
            Connection a = nodes.connect();
            Connection b = nodes.otherEnd();
            int lanes = a.lanes().size();
            List<Thread> senders = new ArrayList<>();
            for (Connection end : List.of(a, b)) {
                for (Lane lane : end.lanes()) {
                    Thread sender = new Thread(() -> {
                        for (int i = 0; i < messages; i++) {
                            Sends.message(lane, i);
                        }
                    });
                    sender.start();
                    senders.add(sender);
                }
            }
            for (Thread sender : senders) {
                sender.join(TimeUnit.SECONDS.toMillis(40));
            }
            for (TestNode node : List.of(nodes.a(), nodes.b())) {
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> node.recording().messages().size() == lanes * messages);
                for (int index = 0; index < lanes; index++) {
                    int lane = index;
                    List<Long> numbers = node.recording().messages().stream()
                            .filter(message -> message.lane() == lane)
                            .map(message -> Long.reverseBytes(
                                    java.nio.ByteBuffer.wrap(message.body()).getLong()))
                            .toList();
                    assertThat(numbers).hasSize(messages).isSorted();
                }
            }
            assertThat(a.state()).isEqualTo(ConnectionState.UP);
        }
    }

    @Test
    void whenImmediatesFloodThenTheirCreditsComeBack() throws Exception {
        int count = 2000;
        try (TwoNodes nodes = TwoNodes.start(builder -> builder.options(TwoNodes.quickOptions()
                        .receiveCredits(ConnectionOptions.MIN_CREDITS)
                        .build()));
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            Connection connection = nodes.connect();
            ZoneGrant zone = LaneTest.zone(nodes, connection);
            Lane lane = connection.lanes().get(1);
            for (int i = 0; i < count; i++) {
                Transmission transmission = Sends.begin(lane, 1, true);
                transmission.writeWithImmediate(
                        source.address(),
                        64,
                        source.region().lkey(),
                        zone.address(),
                        zone.rkeys().get(1),
                        i);
                Sends.submit(transmission);
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> nodes.b().recording().immediates().size() == count);
            assertThat(nodes.b().recording().immediates()).isSorted();
        }
    }

    @Test
    void whenALaneRefusedThenItSaysWhenItIsReady() throws Exception {
        try (TwoNodes nodes = LaneTest.withoutHeartbeats(0, 4, FabricDeviceOptions.defaults());
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            Connection connection = nodes.connect();
            Lane lane = connection.lanes().get(0);
            nodes.a().faults().holdCompletions(true);
            for (int i = 0; i < 4; i++) {
                Sends.write(lane, source, 64, LaneTest.zone(nodes, connection), 0);
            }
            assertThat(lane.begin(1, false)).isNull();
            assertThat(nodes.a().recording().readies()).isZero();
            nodes.a().faults().holdCompletions(false);
            await().until(() -> nodes.a().recording().readies() > 0);
            Transmission transmission = lane.begin(1, false);
            assertThat(transmission).isNotNull();
            transmission.cancel();
        }
    }

    /** The connection sends messages of its own on the poller's thread, which is also the one that calls who was refused. */
    @Test
    void whenTheConnectionItselfSendsThenWhoWasRefusedMayBeginInTheCall() throws Exception {
        try (TwoNodes nodes = LaneTest.withoutHeartbeats(0, 4, FabricDeviceOptions.defaults());
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            FabricConnection connection = (FabricConnection) nodes.connect();
            QueuePairLane lane = connection.lane(0);
            nodes.a().faults().holdCompletions(true);
            for (int i = 0; i < 4; i++) {
                Sends.write(lane, source, 64, LaneTest.zone(nodes, connection), 0);
            }
            assertThat(lane.begin(1, false)).isNull();
            CompletableFuture<Boolean> called = new CompletableFuture<>();
            nodes.a().recording().onReady(() -> {
                try {
                    called.complete(lane.begin(1, false) == null);
                } catch (RuntimeException e) {
                    called.completeExceptionally(e);
                }
            });
            connection.laneSet().poller().execute(() -> {
                LaneTransmission message = lane.beginInternal(true, 0);
                message.open(MessageTypes.CREDIT);
                message.submit(InternalWork.IGNORED, 0);
            });
            assertThat(called.get(10, TimeUnit.SECONDS))
                    .as("there is no room yet")
                    .isTrue();
            nodes.a().recording().onReady(() -> {});
            nodes.a().faults().holdCompletions(false);
        }
    }

    @Test
    void whenATransmissionIsMisusedThenItSaysHow() {
        try (TwoNodes nodes = LaneTest.withoutHeartbeats(0);
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            Connection connection = nodes.connect();
            Lane lane = connection.lanes().get(0);
            assertThatThrownBy(() -> lane.begin(0, false)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> lane.begin(100_000, false)).isInstanceOf(IllegalArgumentException.class);
            Transmission transmission = lane.begin(2, true);
            assertThatThrownBy(() -> lane.begin(1, false)).hasMessageContaining("open on lane 0");
            assertThatThrownBy(() -> transmission.submit(InternalWork.IGNORED, 0))
                    .hasMessageContaining("nothing");
            assertThatThrownBy(() -> transmission.write(source.address(), -1, 0, 0, 0))
                    .hasMessageContaining("-1");
            assertThatThrownBy(() -> transmission.message(3)).isInstanceOf(IllegalArgumentException.class);
            transmission.cancel();
            assertThatThrownBy(transmission::cancel).isInstanceOf(IllegalStateException.class);
            Transmission without = lane.begin(2, false);
            assertThatThrownBy(() -> without.message(Sends.TYPE)).hasMessageContaining("credit");
            without.cancel();
        }
    }

    @Test
    void whenSendingSteadilyThenTheSenderAllocatesNothing() throws Exception {
        try (TwoNodes nodes = TwoNodes.start();
                BufferLease source = nodes.a().pool().acquire(64, "test")) {
            Connection connection = nodes.connect();
            ZoneGrant zone = LaneTest.zone(nodes, connection);
            Lane lane = connection.lanes().get(1);
            int rkey = zone.rkeys().get(1);
            AtomicInteger ended = new AtomicInteger();
            TransmissionListener listener = (on, token, status, vendor) -> ended.incrementAndGet();
            var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            long self = Thread.currentThread().getId();
            long least = Long.MAX_VALUE;
            int sent = 0;
            for (int round = 0; round < 5; round++) {
                long before = threads.getThreadAllocatedBytes(self);
                for (int i = 0; i < 2000; i++) {
                    Transmission transmission = lane.begin(2, true);
                    while (transmission == null) {
                        Thread.onSpinWait();
                        transmission = lane.begin(2, true);
                    }
                    transmission.write(source.address(), 64, source.region().lkey(), zone.address(), rkey);
                    // Longer than what goes inline, which the software device copies to an object of its own.
                    transmission.message(Sends.TYPE).putLong(i).position(512);
                    transmission.submit(listener, i);
                    sent++;
                    while (ended.get() < sent) {
                        Thread.onSpinWait();
                    }
                }
                least = Math.min(least, threads.getThreadAllocatedBytes(self) - before);
            }
            // Whoever must wait for a lock gets a queue node now and then; nothing comes with every send.
            assertThat(least).isLessThan(2000 * 8);
        }
    }
}

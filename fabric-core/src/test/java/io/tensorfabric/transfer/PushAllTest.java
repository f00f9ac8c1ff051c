package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.TransferException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several tensors of which listeners hear together or not at all. */
@Timeout(60)
class PushAllTest {

    private static final int BIG = 600_000;

    /** Needs a zone of its own. */
    private static final int LARGE = 2 << 20;

    /** Takes the only zone for large tensors, so that of a group only the small one finds room; closing the returned one makes room. */
    private static ReceivedTensor block(FakePair pair) throws Exception {
        return GroupListener.block(pair, LARGE);
    }

    /** A group of which the first tensor waits at the right for the second, and the second here for room. */
    private CompletableFuture<List<TransferReceipt>> halfThere(FakePair pair, Duration deadline) {
        try (Tensor one = tensor("group/one", 10, 1);
                Tensor two = tensor("group/two", LARGE, 2)) {
            CompletableFuture<List<TransferReceipt>> all = pair.left
                    .transfers()
                    .to("right")
                    .deadline(deadline)
                    .receipt(ReceiptLevel.PLACED)
                    .pushAll(List.of(one, two));
            await().until(() -> pair.right.transfers().statistics().openTensors() == 2);
            return all;
        }
    }

    @Test
    void whenTheLastOfAGroupHasArrivedThenListenersHearOfAllAndReceiptsSayAccepted() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options())) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofSeconds(30));
            listener.awaitTurn();
            assertThat(listener.heard()).isEmpty();
            assertThat(all).isNotDone();
            block.close();
            assertThat(all.get(10, TimeUnit.SECONDS))
                    .extracting(TransferReceipt::tensor)
                    .containsExactly("group/one", "group/two");
            assertThat(all.get()).extracting(TransferReceipt::level).containsOnly(ReceiptLevel.ACCEPTED);
            await().until(() -> listener.heard().size() == 2);
            assertThat(listener.heard()).containsExactlyInAnyOrder("group/one", "group/two");
            listener.awaitNothingOpen();
        }
    }

    @Test
    void whenAGroupArrivesThenEachKnowsWithHowManyItCame() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor one = tensor("one", 10, 1);
                Tensor empty = tensor("empty", 0, 1)) {
            Queue<TensorGroup> groups = new ConcurrentLinkedQueue<>();
            pair.right.transfers().register("all", "*", "*", received -> {
                TensorGroup group = received.group();
                groups.add(group == null ? new TensorGroup(-1, 2) : group);
                received.close();
            });
            PushSpec spec = pair.left.transfers().to("right").checksum().receipt(ReceiptLevel.PROCESSED);
            spec.pushAllAndWait(List.of(one, empty, one));
            spec.pushAllAndWait(List.of(one));
            assertThat(groups).extracting(TensorGroup::size).containsExactly(3, 3, 3, 2);
            assertThat(List.copyOf(groups).subList(0, 3)).containsOnly(groups.peek());
            assertThat(groups).last().extracting(TensorGroup::id).isEqualTo(-1L);
        }
    }

    @Test
    void whenOneOfAGroupHasNoListenerThenNobodyHearsOfTheOthersAndTheirRoomIsFree() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor good = tensor("group/good", BIG, 1);
                Tensor unwanted = tensor("unwanted", 10, 1)) {
            GroupListener listener = new GroupListener(pair);
            CompletableFuture<List<TransferReceipt>> all =
                    pair.left.transfers().to("right").pushAll(List.of(good, unwanted));
            TransferException e = failure(all);
            assertThat(e.kind()).isEqualTo(Kind.REJECTED);
            assertThat(e).hasMessageContaining("2 tensors").hasMessageContaining("0 of them arrived");
            listener.awaitTurn();
            listener.awaitNothingOpen();
            assertThat(listener.heard()).isEmpty();
            pair.left.transfers().push("right", good).get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenTheBytesOfOneAreDamagedThenNobodyHearsOfTheOthers() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor one = tensor("group/one", 10, 1);
                Tensor two = tensor("group/two", 10, 1)) {
            GroupListener listener = new GroupListener(pair);
            listener.awaitTurn();
            pair.left.faults.damageNext();
            TransferException e =
                    failure(pair.left.transfers().to("right").checksum().pushAll(List.of(one, two)));
            assertThat(e).isInstanceOf(ChecksumMismatchException.class);
            listener.awaitTurn();
            listener.awaitNothingOpen();
            assertThat(listener.heard()).isEmpty();
        }
    }

    @Test
    void whenAGroupIsCancelledBeforeAllIsThereThenNobodyHearsOfItAndItsRoomIsFree() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options())) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = block(pair);
            assertThat(halfThere(pair, Duration.ofSeconds(30)).cancel(true)).isTrue();
            await().until(() -> pair.right.transfers().statistics().openTensors() == 1);
            block.close();
            listener.awaitTurn();
            assertThat(listener.heard()).isEmpty();
            // Nothing is left of it there.
            assertThat(halfThereWithRoom(pair)).hasSize(2);
        }
    }

    private static List<TransferReceipt> halfThereWithRoom(FakePair pair) throws Exception {
        try (Tensor one = tensor("group/three", BIG, 1);
                Tensor two = tensor("group/four", 400_000, 2)) {
            return pair.left.transfers().to("right").pushAll(List.of(one, two)).get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenTheUserEndsTheFutureBeforeAllIsThereThenNobodyHearsOfIt() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options())) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = block(pair);
            assertThat(halfThere(pair, Duration.ofSeconds(30)).completeExceptionally(new TimeoutException("late")))
                    .isTrue();
            await().until(() -> pair.right.transfers().statistics().openTensors() == 1);
            block.close();
            listener.awaitTurn();
            assertThat(listener.heard()).isEmpty();
        }
    }

    @Test
    void whenTheDeadlineComesBeforeAllIsThereThenNobodyHearsOfIt() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options())) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofMillis(700));
            assertThat(failure(all)).isInstanceOf(TransferException.class);
            await().until(() -> pair.right.transfers().statistics().openTensors() == 1);
            block.close();
            listener.awaitTurn();
            assertThat(listener.heard()).isEmpty();
        }
    }

    @Test
    void whenTheConnectionIsLostBeforeAllIsThereThenAllIsSentAgainAndHeardOfOnce() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options())) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofSeconds(30));
            pair.left.connection().fail(new ConnectionException(ConnectionException.Kind.LOST, "right", "cut"));
            // The new connection has a zone of its own, with room for both.
            assertThat(all.get(20, TimeUnit.SECONDS))
                    .extracting(TransferReceipt::attempts)
                    .containsOnly(2);
            await().until(() -> listener.heard().size() >= 2);
            listener.awaitTurn();
            assertThat(listener.heard()).containsExactlyInAnyOrder("group/one", "group/two");
            block.close();
            listener.awaitNothingOpen();
        }
    }

    @Test
    void whenTheReceiverEndsBeforeAllIsThereThenItDoesNotWaitForTheRest() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options())) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofSeconds(30));
            assertThat(pair.right.transfers().quiesce(Duration.ofSeconds(20))).isTrue();
            assertThat(pair.right.transfers().statistics().openTensors()).isEqualTo(1);
            assertThat(listener.heard()).isEmpty();
            all.cancel(true);
            block.close();
        }
    }

    @Test
    void whenAListenerPausesBeforeAllIsThereThenTheWholeGroupIsRefused() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options())) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofSeconds(30));
            listener.awaitTurn();
            TensorListenerRegistry.Registration large =
                    pair.right.transfers().register("large", "*", "*", ReceivedTensor::close);
            listener.close();
            large.pause();
            block.close();
            assertThat(failure(all).kind()).isEqualTo(Kind.BACKPRESSURE);
            listener.awaitNothingOpen();
            assertThat(listener.heard()).isEmpty();
        }
    }

    @Test
    void whenAGroupHasMoreTensorsThanMayBeUnderWayThenItTakesOnePlace() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options().maxInFlight(1).maxQueued(2));
                Tensor tensor = tensor("group/t", 10, 1)) {
            GroupListener listener = new GroupListener(pair);
            PushSpec spec = pair.left.transfers().to("right");
            CompletableFuture<List<TransferReceipt>> first = spec.pushAll(List.of(tensor, tensor, tensor, tensor));
            CompletableFuture<List<TransferReceipt>> second = spec.pushAll(List.of(tensor, tensor, tensor));
            assertThat(first.get(10, TimeUnit.SECONDS)).hasSize(4);
            assertThat(second.get(10, TimeUnit.SECONDS)).hasSize(3);
            // And gives it back.
            spec.pushAll(List.of(tensor, tensor)).get(10, TimeUnit.SECONDS);
            spec.push(tensor).get(10, TimeUnit.SECONDS);
            await().until(() -> listener.heard().size() == 10);
        }
    }

    @Test
    void whenTheBreakerIsHalfOpenThenAGroupIsOneProbeAndWhenItIsOpenNoneGoes() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor tensor = tensor("group/t", 10, 1)) {
            GroupListener listener = new GroupListener(pair);
            PushSpec spec = pair.left.transfers().to("right");
            spec.push(tensor).get(10, TimeUnit.SECONDS);
            CircuitBreaker breaker = pair.left.transfers().resilience().circuitBreaker("right");
            breaker.transitionToOpenState();
            assertThat(failure(spec.pushAll(List.of(tensor, tensor)))).hasMessageContaining("circuit breaker");
            breaker.transitionToHalfOpenState();
            for (int i = 0; i < 2; i++) {
                spec.pushAll(List.of(tensor, tensor, tensor, tensor, tensor)).get(10, TimeUnit.SECONDS);
            }
            assertThat(breaker.getState()).isEqualTo(CircuitBreaker.State.CLOSED);
            await().until(() -> listener.heard().size() == 11);
        }
    }

    @Test
    void whenNoPlaceIsFreeAndPushesAreNotToWaitThenTheWholeGroupIsRefused() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options().maxInFlight(1).whenFull(WhenFull.FAIL));
                Tensor tensor = tensor("group/t", 10, 1)) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> first = halfThere(pair, Duration.ofSeconds(30));
            assertThat(failure(pair.left.transfers().to("right").pushAll(List.of(tensor, tensor)))
                            .kind())
                    .isEqualTo(Kind.BACKPRESSURE);
            block.close();
            first.get(10, TimeUnit.SECONDS);
            await().until(() -> listener.heard().size() == 2);
        }
    }

    @Test
    void whenGroupsTogetherNeedMoreRoomThanThereIsThenTheyTakeTurns() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor part = tensor("group/part", 300_000, 1)) {
            AtomicInteger received = new AtomicInteger();
            pair.right.transfers().register("all", "*", "*", tensor -> {
                received.incrementAndGet();
                tensor.close();
            });
            List<CompletableFuture<List<TransferReceipt>>> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                all.add(pair.left.transfers().to("right").pushAll(List.of(part, part, part)));
            }
            for (CompletableFuture<List<TransferReceipt>> group : all) {
                assertThat(group.get(20, TimeUnit.SECONDS)).hasSize(3);
            }
            await().until(() -> received.get() == 60);
        }
    }

    @Test
    void whenAGroupFitsNeitherZoneNorZonesOfItsOwnThenItIsRefusedWithTheRemedy() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options().maxDedicatedZonesPerPeer(1));
                Tensor big = tensor("group/big", BIG, 1);
                Tensor large = tensor("group/large", 2 << 20, 1)) {
            GroupListener listener = new GroupListener(pair);
            PushSpec spec = pair.left.transfers().to("right");
            assertThat(failure(spec.pushAll(List.of(big, big))))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("fabric.landing.zone-size");
            assertThat(failure(spec.pushAll(List.of(large, large))))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("max-dedicated-zones-per-peer");
            assertThat(spec.pushAll(List.of(big, large)).get(10, TimeUnit.SECONDS))
                    .hasSize(2);
            await().until(() -> listener.heard().size() == 2);
        }
    }

    @Test
    void whenThePeerKnowsNoGroupsThenTheFailureSaysSo() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor tensor = tensor("group/t", 10, 1)) {
            GroupListener listener = new GroupListener(pair);
            pair.right.former = true;
            assertThat(failure(pair.left.transfers().to("right").pushAll(List.of(tensor, tensor))))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("version");
            assertThat(listener.heard()).isEmpty();
        }
    }

    @Test
    void whenOneCannotBePushedThenNoneIsBegun() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options().maxTensorBytes(1000));
                Tensor good = tensor("group/good", 10, 1);
                Tensor large = tensor("group/large", 1001, 1)) {
            assertThat(failure(pair.left.transfers().to("right").pushAll(List.of(good, large))))
                    .isInstanceOf(InvalidTransferException.class);
            assertThat(pair.left.connects).hasValue(0);
            Tensor closed = tensor("group/closed", 10, 1);
            closed.close();
            assertThat(failure(pair.left.transfers().to("right").pushAll(List.of(closed, good))))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("closed");
            assertThat(pair.left.connects).hasValue(0);
        }
    }
}

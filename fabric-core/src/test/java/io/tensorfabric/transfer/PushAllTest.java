package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.transfer.TransferException.Kind;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several tensors of which listeners hear together or not at all. */
@Timeout(60)
class PushAllTest {

    private static final int BIG = 600_000;

    /** What the listener at the right heard of. */
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();

    /** One thread, so that a tensor that is heard of proves that earlier ones had their turn. */
    private static TransferOptions.Builder options() {
        return small().listenerThreads(1).listenerThreadsPerPeer(1);
    }

    private TensorListenerRegistry.Registration listen(FakePair pair) {
        return pair.right.transfers().register("all", "group/*", "*", received -> {
            heard.add(received.tensor().name());
            received.close();
        });
    }

    /** Fills the zone so far that of a group only the small tensor finds room; closing the returned one makes room. */
    private static ReceivedTensor block(FakePair pair) throws Exception {
        BlockingQueue<ReceivedTensor> kept = new LinkedBlockingQueue<>();
        TensorListenerRegistry.Registration registration =
                pair.right.transfers().register("block", "block", "*", kept::add);
        try (Tensor block = tensor("block", BIG, 9)) {
            pair.left.transfers().push("right", block).get(10, TimeUnit.SECONDS);
            return kept.take();
        } finally {
            registration.close();
        }
    }

    /** A group of which the first tensor waits at the right for the second, and the second here for room. */
    private CompletableFuture<List<TransferReceipt>> halfThere(FakePair pair, Duration deadline) {
        try (Tensor one = tensor("group/one", 10, 1);
                Tensor two = tensor("group/two", BIG, 2)) {
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

    /** Whoever came before the tensor that this pushes had its turn with the listener. */
    private void awaitTurn(FakePair pair) throws Exception {
        try (Tensor later = tensor("group/later", 1, 3)) {
            pair.left.transfers().push("right", later).get(10, TimeUnit.SECONDS);
            await().until(() -> heard.contains("group/later"));
            assertThat(heard.remove("group/later")).isTrue();
        }
    }

    private static void awaitNothingOpen(FakePair pair) {
        await().until(() -> pair.right.transfers().statistics().openTensors() == 0);
    }

    @Test
    void whenTheLastOfAGroupHasArrivedThenListenersHearOfAllAndReceiptsSayAccepted() throws Exception {
        try (FakePair pair = new FakePair(options())) {
            listen(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofSeconds(30));
            awaitTurn(pair);
            assertThat(heard).isEmpty();
            assertThat(all).isNotDone();
            block.close();
            assertThat(all.get(10, TimeUnit.SECONDS))
                    .extracting(TransferReceipt::tensor)
                    .containsExactly("group/one", "group/two");
            assertThat(all.get()).extracting(TransferReceipt::level).containsOnly(ReceiptLevel.ACCEPTED);
            await().until(() -> heard.size() == 2);
            assertThat(heard).containsExactlyInAnyOrder("group/one", "group/two");
            awaitNothingOpen(pair);
        }
    }

    @Test
    void whenAGroupArrivesThenEachKnowsWithHowManyItCame() throws Exception {
        try (FakePair pair = new FakePair(options());
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
        try (FakePair pair = new FakePair(options());
                Tensor good = tensor("group/good", BIG, 1);
                Tensor unwanted = tensor("unwanted", 10, 1)) {
            listen(pair);
            CompletableFuture<List<TransferReceipt>> all =
                    pair.left.transfers().to("right").pushAll(List.of(good, unwanted));
            TransferException e = failure(all);
            assertThat(e.kind()).isEqualTo(Kind.REJECTED);
            assertThat(e).hasMessageContaining("2 tensors").hasMessageContaining("0 of them arrived");
            awaitTurn(pair);
            awaitNothingOpen(pair);
            assertThat(heard).isEmpty();
            pair.left.transfers().push("right", good).get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whenTheBytesOfOneAreDamagedThenNobodyHearsOfTheOthers() throws Exception {
        try (FakePair pair = new FakePair(options());
                Tensor one = tensor("group/one", 10, 1);
                Tensor two = tensor("group/two", 10, 1)) {
            listen(pair);
            awaitTurn(pair);
            pair.left.faults.damageNext();
            TransferException e =
                    failure(pair.left.transfers().to("right").checksum().pushAll(List.of(one, two)));
            assertThat(e).isInstanceOf(ChecksumMismatchException.class);
            awaitTurn(pair);
            awaitNothingOpen(pair);
            assertThat(heard).isEmpty();
        }
    }

    @Test
    void whenAGroupIsCancelledBeforeAllIsThereThenNobodyHearsOfItAndItsRoomIsFree() throws Exception {
        try (FakePair pair = new FakePair(options())) {
            listen(pair);
            ReceivedTensor block = block(pair);
            assertThat(halfThere(pair, Duration.ofSeconds(30)).cancel(true)).isTrue();
            await().until(() -> pair.right.transfers().statistics().openTensors() == 1);
            block.close();
            awaitTurn(pair);
            assertThat(heard).isEmpty();
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
    void whenTheDeadlineComesBeforeAllIsThereThenNobodyHearsOfIt() throws Exception {
        try (FakePair pair = new FakePair(options())) {
            listen(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofMillis(700));
            assertThat(failure(all)).isInstanceOf(TransferException.class);
            await().until(() -> pair.right.transfers().statistics().openTensors() == 1);
            block.close();
            awaitTurn(pair);
            assertThat(heard).isEmpty();
        }
    }

    @Test
    void whenTheConnectionIsLostBeforeAllIsThereThenAllIsSentAgainAndHeardOfOnce() throws Exception {
        try (FakePair pair = new FakePair(options())) {
            listen(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofSeconds(30));
            pair.left.connection().fail(new ConnectionException(ConnectionException.Kind.LOST, "right", "cut"));
            // The new connection has a zone of its own, with room for both.
            assertThat(all.get(20, TimeUnit.SECONDS))
                    .extracting(TransferReceipt::attempts)
                    .containsOnly(2);
            await().until(() -> heard.size() >= 2);
            awaitTurn(pair);
            assertThat(heard).containsExactlyInAnyOrder("group/one", "group/two");
            block.close();
            awaitNothingOpen(pair);
        }
    }

    @Test
    void whenTheReceiverEndsBeforeAllIsThereThenItDoesNotWaitForTheRest() throws Exception {
        try (FakePair pair = new FakePair(options())) {
            listen(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofSeconds(30));
            assertThat(pair.right.transfers().quiesce(Duration.ofSeconds(20))).isTrue();
            assertThat(pair.right.transfers().statistics().openTensors()).isEqualTo(1);
            assertThat(heard).isEmpty();
            all.cancel(true);
            block.close();
        }
    }

    @Test
    void whenAListenerPausesBeforeAllIsThereThenTheWholeGroupIsRefused() throws Exception {
        try (FakePair pair = new FakePair(options())) {
            TensorListenerRegistry.Registration listener = listen(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> all = halfThere(pair, Duration.ofSeconds(30));
            awaitTurn(pair);
            TensorListenerRegistry.Registration large =
                    pair.right.transfers().register("large", "*", "*", ReceivedTensor::close);
            listener.close();
            large.pause();
            block.close();
            assertThat(failure(all).kind()).isEqualTo(Kind.BACKPRESSURE);
            awaitNothingOpen(pair);
            assertThat(heard).isEmpty();
        }
    }

    @Test
    void whenAGroupHasMoreTensorsThanMayBeUnderWayThenItTakesOnePlace() throws Exception {
        try (FakePair pair = new FakePair(options().maxInFlight(1).maxQueued(2));
                Tensor tensor = tensor("group/t", 10, 1)) {
            listen(pair);
            PushSpec spec = pair.left.transfers().to("right");
            CompletableFuture<List<TransferReceipt>> first = spec.pushAll(List.of(tensor, tensor, tensor, tensor));
            CompletableFuture<List<TransferReceipt>> second = spec.pushAll(List.of(tensor, tensor, tensor));
            assertThat(first.get(10, TimeUnit.SECONDS)).hasSize(4);
            assertThat(second.get(10, TimeUnit.SECONDS)).hasSize(3);
            // And gives it back.
            spec.pushAll(List.of(tensor, tensor)).get(10, TimeUnit.SECONDS);
            spec.push(tensor).get(10, TimeUnit.SECONDS);
            await().until(() -> heard.size() == 10);
        }
    }

    @Test
    void whenTheBreakerIsHalfOpenThenAGroupIsOneProbeAndWhenItIsOpenNoneGoes() throws Exception {
        try (FakePair pair = new FakePair(options());
                Tensor tensor = tensor("group/t", 10, 1)) {
            listen(pair);
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
            await().until(() -> heard.size() == 11);
        }
    }

    @Test
    void whenNoPlaceIsFreeAndPushesAreNotToWaitThenTheWholeGroupIsRefused() throws Exception {
        try (FakePair pair = new FakePair(options().maxInFlight(1).whenFull(WhenFull.FAIL));
                Tensor tensor = tensor("group/t", 10, 1)) {
            listen(pair);
            ReceivedTensor block = block(pair);
            CompletableFuture<List<TransferReceipt>> first = halfThere(pair, Duration.ofSeconds(30));
            assertThat(failure(pair.left.transfers().to("right").pushAll(List.of(tensor, tensor)))
                            .kind())
                    .isEqualTo(Kind.BACKPRESSURE);
            block.close();
            first.get(10, TimeUnit.SECONDS);
            await().until(() -> heard.size() == 2);
        }
    }

    @Test
    void whenGroupsTogetherNeedMoreRoomThanThereIsThenTheyTakeTurns() throws Exception {
        try (FakePair pair = new FakePair(options());
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
        try (FakePair pair = new FakePair(options().maxDedicatedZonesPerPeer(1));
                Tensor big = tensor("group/big", BIG, 1);
                Tensor large = tensor("group/large", 2 << 20, 1)) {
            listen(pair);
            PushSpec spec = pair.left.transfers().to("right");
            assertThat(failure(spec.pushAll(List.of(big, big))))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("fabric.landing.zone-size");
            assertThat(failure(spec.pushAll(List.of(large, large))))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("max-dedicated-zones-per-peer");
            assertThat(spec.pushAll(List.of(big, large)).get(10, TimeUnit.SECONDS))
                    .hasSize(2);
            await().until(() -> heard.size() == 2);
        }
    }

    @Test
    void whenThePeerKnowsNoGroupsThenTheFailureSaysSo() throws Exception {
        try (FakePair pair = new FakePair(options());
                Tensor tensor = tensor("group/t", 10, 1)) {
            listen(pair);
            pair.right.former = true;
            assertThat(failure(pair.left.transfers().to("right").pushAll(List.of(tensor, tensor))))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("version");
            assertThat(heard).isEmpty();
        }
    }

    @Test
    void whenOneCannotBePushedThenNoneIsBegun() throws Exception {
        try (FakePair pair = new FakePair(options().maxTensorBytes(1000));
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

    /** An empty tensor of a group, as a peer of another make may send it. */
    private static void comes(FakePair pair, long id, long group, int size) {
        ByteBuffer body = ProtocolExamples.empty();
        TensorDescriptor descriptor = new TensorDescriptor("group/" + id, DataType.U8, Shape.of(0));
        TensorMessage.write(body, id, 1, PushOptions.defaults(), LandingKind.ANY, 0, 0, 0, descriptor);
        TensorMessage.addGroup(body, 0, new TensorGroup(group, size));
        FakeConnection right = pair.right.connection();
        pair.right.transfers().received(right, right.lane(0), TransferMessages.TENSOR, body.flip());
    }

    private static void over(FakePair pair, long group, int messages) {
        Answers answers = new Answers();
        answers.groupOver(group, messages);
        ByteBuffer body = ProtocolExamples.empty();
        answers.writeTo(body);
        FakeConnection right = pair.right.connection();
        pair.right.transfers().received(right, right.lane(0), TransferMessages.ANSWERS, body.flip());
    }

    @Test
    void whenItsEndOvertakesTensorsOfAGroupThenTheyAreRefusedAndItIsForgotten() throws Exception {
        try (FakePair pair = new FakePair(options())) {
            listen(pair);
            awaitTurn(pair);
            comes(pair, 901, 900, 3);
            over(pair, 900, 3);
            comes(pair, 902, 900, 3);
            comes(pair, 903, 900, 3);
            await().until(() -> pair.right.transfers().statistics().rejected() == 3);
            awaitTurn(pair);
            assertThat(heard).isEmpty();
            // Another one of that number is a new one.
            comes(pair, 904, 900, 2);
            comes(pair, 905, 900, 2);
            await().until(() -> heard.size() == 2);
            over(pair, 900, 2);
            assertThat(pair.right.connection().failure()).isNull();
        }
    }

    @Test
    void whenAPeerDoesNotCountItsGroupsWellThenItsConnectionEnds() throws Exception {
        List<Consumer<FakePair>> lies = List.of(
                pair -> comes(pair, 902, 900, 2),
                pair -> over(pair, 900, 0),
                pair -> over(pair, 900, -1),
                pair -> {
                    over(pair, 900, 2);
                    over(pair, 900, 2);
                },
                pair -> {
                    comes(pair, 902, 900, 3);
                    over(pair, 900, 1);
                });
        for (Consumer<FakePair> lie : lies) {
            try (FakePair pair = new FakePair(options())) {
                listen(pair);
                awaitTurn(pair);
                comes(pair, 901, 900, 3);
                lie.accept(pair);
                await().until(() -> pair.right.connection().failure() != null);
                assertThat(pair.right.connection().failure().kind()).isEqualTo(ConnectionException.Kind.MALFORMED);
                awaitNothingOpen(pair);
                assertThat(heard).isEmpty();
                heard.clear();
            }
        }
    }

    @Test
    void whenASoftwareDeviceLosesItsConnectionsThenGroupsStayWhole() throws Exception {
        int groups = 8;
        try (SoftPair pair = new SoftPair(
                        TransferOptions.builder().landingZoneSize(1 << 20).defaultDeadline(Duration.ofSeconds(40)));
                Tensor one = tensor("one", 200_000, 1);
                Tensor two = tensor("two", 100, 2);
                Tensor three = tensor("three", 100_000, 3)) {
            Map<String, Integer> fills = Map.of("one", 1, "two", 2, "three", 3);
            ConcurrentLinkedQueue<Long> told = new ConcurrentLinkedQueue<>();
            pair.b().register("all", "*", "*", received -> {
                PushTest.assertFilled(
                        received.tensor(), fills.get(received.tensor().name()));
                TensorGroup group = received.group();
                assertThat(group).isNotNull();
                told.add(group.id());
                received.close();
            });
            for (int i = 0; i < groups; i++) {
                if (i > 0) {
                    pair.nodes.a().faults().failWorkRequests(i % 7, 1, WorkCompletionStatus.RETRY_EXC_ERR);
                }
                CompletableFuture<List<TransferReceipt>> all =
                        pair.a().to(TwoNodes.B).receipt(ReceiptLevel.PROCESSED).pushAll(List.of(one, two, three));
                assertThat(all.get(40, TimeUnit.SECONDS)).hasSize(3);
            }
            assertThat(told).hasSize(3 * groups);
            assertThat(told.stream().distinct().count()).isEqualTo(groups);
        }
    }
}

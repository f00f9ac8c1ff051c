package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages of groups in odd orders and numbers, and over connections that end. */
@Timeout(60)
class GroupMessagesTest {

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
        try (FakePair pair = new FakePair(GroupListener.options())) {
            GroupListener listener = new GroupListener(pair);
            listener.awaitTurn();
            comes(pair, 901, 900, 3);
            over(pair, 900, 3);
            comes(pair, 902, 900, 3);
            comes(pair, 903, 900, 3);
            await().until(() -> pair.right.transfers().statistics().rejected() == 3);
            listener.awaitTurn();
            assertThat(listener.heard()).isEmpty();
            // Another one of that number is a new one.
            comes(pair, 904, 900, 2);
            comes(pair, 905, 900, 2);
            await().until(() -> listener.heard().size() == 2);
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
            try (FakePair pair = new FakePair(GroupListener.options())) {
                GroupListener listener = new GroupListener(pair);
                listener.awaitTurn();
                comes(pair, 901, 900, 3);
                lie.accept(pair);
                await().until(() -> pair.right.connection().failure() != null);
                assertThat(pair.right.connection().failure().kind()).isEqualTo(ConnectionException.Kind.MALFORMED);
                listener.awaitNothingOpen();
                assertThat(listener.heard()).isEmpty();
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

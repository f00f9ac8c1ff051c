package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups that wait for room, with and without others that do. */
@Timeout(60)
class GroupRoomsTest {

    private static final int ZONE = 1 << 20;

    private static final int LARGE = 2 << 20;

    @Test
    void whenAPushThatNeedsTheWholeZoneIsAheadOfAGroupThenNeitherWaitsForTheOtherForEver() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor whole = tensor("group/whole", ZONE, 1);
                Tensor one = tensor("group/one", 10, 2);
                Tensor two = tensor("group/two", 600_000, 3)) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = GroupListener.block(pair, 500_000);
            CompletableFuture<TransferReceipt> first = pair.left.transfers().push("right", whole);
            await().until(() -> ((Push) first).phase() == PushPhase.ROOM);
            CompletableFuture<List<TransferReceipt>> group =
                    pair.left.transfers().to("right").pushAll(List.of(one, two));
            block.close();
            assertThat(group.get(10, TimeUnit.SECONDS)).hasSize(2);
            first.get(10, TimeUnit.SECONDS);
            await().until(() -> listener.heard().size() == 3);
            listener.awaitNothingOpen();
        }
    }

    @Test
    void whenTheZoneIsInPiecesThenAGroupDoesNotKeepThemFromGrowingTogether() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor one = tensor("group/one", 10, 2);
                Tensor two = tensor("group/two", 600_000, 3)) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = GroupListener.block(pair, 500_000);
            CompletableFuture<List<TransferReceipt>> group =
                    pair.left.transfers().to("right").pushAll(List.of(one, two));
            block.close();
            assertThat(group.get(10, TimeUnit.SECONDS)).hasSize(2);
            await().until(() -> listener.heard().size() == 2);
        }
    }

    @Test
    void whenAGroupFitsButForItsAlignmentThenItIsRefusedAtOnce() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor part = tensor("group/part", 349_000, 1)) {
            assertThat(failure(pair.left.transfers().to("right").pushAll(List.of(part, part, part))))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("fabric.landing.zone-size");
        }
    }

    @Test
    void whenAGroupThatHasRoomIsCancelledThenOthersGetThatRoom() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor big = tensor("group/big", 600_000, 2);
                Tensor large = tensor("group/large", LARGE, 3);
                Tensor whole = tensor("group/whole", ZONE, 1)) {
            GroupListener listener = new GroupListener(pair);
            ReceivedTensor block = GroupListener.block(pair, LARGE);
            CompletableFuture<List<TransferReceipt>> group =
                    pair.left.transfers().to("right").pushAll(List.of(big, large));
            await().until(() -> pair.right.transfers().statistics().openTensors() == 2);
            CompletableFuture<TransferReceipt> next = pair.left.transfers().push("right", whole);
            group.cancel(true);
            next.get(10, TimeUnit.SECONDS);
            block.close();
            listener.awaitTurn();
            assertThat(listener.heard()).containsExactly("group/whole");
        }
    }

    @Test
    void whenGroupsNeedAllZonesForLargeTensorsThenTheyTakeTurns() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options().maxDedicatedZonesPerPeer(2));
                Tensor large = tensor("group/large", LARGE, 3)) {
            GroupListener listener = new GroupListener(pair);
            List<CompletableFuture<List<TransferReceipt>>> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                all.add(pair.left.transfers().to("right").pushAll(List.of(large, large)));
            }
            for (CompletableFuture<List<TransferReceipt>> group : all) {
                assertThat(group.get(10, TimeUnit.SECONDS)).hasSize(2);
            }
            await().until(() -> listener.heard().size() == 16);
        }
    }
}

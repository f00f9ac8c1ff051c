package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.TwoNodes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gets access to what node B publishes, and how that ends. */
@Timeout(60)
class PublishedTensorTest {

    private static final RegionOptions PLAIN = RegionOptions.defaults();

    @Test
    void whenClosedThenLaterPullsFailAndTheMemoryIsFreeAtLast() throws Exception {
        try (SoftPair pair = new SoftPair(PullTest.options());
                Tensor into = PullTest.empty(100_000)) {
            AtomicBoolean freed = new AtomicBoolean();
            Tensor source = PullTest.random("w", 100_000);
            Tensor tensor = Tensor.of(source.descriptor(), source.address(), () -> {
                freed.set(true);
                source.close();
            });
            PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable());
            tensor.close();
            pair.a().pull(TwoNodes.B, "w", into, PLAIN).get(10, TimeUnit.SECONDS);
            String connection = pair.nodes.a().manager().find(TwoNodes.B).id();
            assertThat(freed).isFalse();
            long before = System.nanoTime();
            published.close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(15));
            assertThat(freed).isTrue();
            published.close();
            assertThat(failure(pair.a().pull(TwoNodes.B, "w", into, PLAIN)))
                    .isInstanceOf(TensorNotPublishedException.class);
            // Given back in order, not by force.
            assertThat(pair.nodes.a().manager().find(TwoNodes.B).id()).isEqualTo(connection);
            try (Tensor again = PullTest.random("w", 100_000);
                    PublishedTensor second = pair.b().publish(again, PublishOptions.readable())) {
                assertThat(second.isOpen()).isTrue();
                pair.a().pull(TwoNodes.B, "w", into, PLAIN).get(10, TimeUnit.SECONDS);
            }
        }
    }

    /** The owner asks for access back that the peer does not know of yet, since the answer that gives it is still on its way. */
    @Test
    void whenClosedWhileAccessIsBeingGivenThenThePeerGivesItBackAllTheSame() throws Exception {
        try (SoftPair pair = new SoftPair(PullTest.options());
                Tensor tensor = PullTest.random("w", 1000);
                Tensor into = PullTest.empty(1000)) {
            PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable());
            String connection = pair.nodes.connect().id();
            CompletableFuture<Void> closed = new CompletableFuture<>();
            pair.nodes.network().setHook(new LocalNetwork.Hook() {
                @Override
                public void response(LocalNetwork.Call call, String from, String to) {
                    if (call == LocalNetwork.Call.OPEN_ZONE) {
                        closed.completeAsync(() -> {
                            published.close();
                            return null;
                        });
                        await().pollDelay(Duration.ofMillis(50)).until(() -> !published.isOpen());
                    }
                }
            });
            pair.a().pull(TwoNodes.B, "w", into, PLAIN).get(10, TimeUnit.SECONDS);
            assertThat(into.asByteBuffer()).isEqualTo(tensor.asByteBuffer());
            closed.get(10, TimeUnit.SECONDS);
            assertThat(failure(pair.a().pull(TwoNodes.B, "w", into, PLAIN)))
                    .isInstanceOf(TensorNotPublishedException.class);
            // Else the pull would have used a key that was revoked.
            assertThat(pair.nodes.a().manager().find(TwoNodes.B).id()).isEqualTo(connection);
        }
    }

    @Test
    void whenTensorsAreClosedAmidPullsThenEachPullIsWholeOrRefused() throws Exception {
        try (SoftPair pair = new SoftPair(PullTest.options())) {
            String connection = pair.nodes.connect().id();
            int whole = 0;
            for (int round = 1; round <= 15; round++) {
                Tensor tensor = Tensor.allocate(new TensorDescriptor("w", DataType.U8, Shape.of(500_000)));
                OffHeap.fill(tensor.address(), 500_000, (byte) round);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable());
                tensor.close();
                List<CompletableFuture<Tensor>> pulls = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    pulls.add(pair.a().pull(TwoNodes.B, "w", PLAIN));
                }
                if (round % 3 == 0) {
                    pulls.get(0).get(10, TimeUnit.SECONDS);
                }
                published.close();
                for (CompletableFuture<Tensor> pull : pulls) {
                    whole += isWhole(pull, round) ? 1 : 0;
                }
            }
            assertThat(whole).isGreaterThanOrEqualTo(5);
            assertThat(pair.nodes.a().manager().find(TwoNodes.B).id()).isEqualTo(connection);
            await().until(() -> pair.a().statistics().pushesInFlight() == 0);
        }
    }

    private static boolean isWhole(CompletableFuture<Tensor> pull, int filled) throws Exception {
        try (Tensor pulled = pull.get(10, TimeUnit.SECONDS)) {
            PushTest.assertFilled(pulled, filled);
            return true;
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(TensorNotPublishedException.class);
            return false;
        }
    }

    @Test
    void whenANameIsPublishedTwiceThenTheSecondIsRefused() {
        try (SoftPair pair = new SoftPair(PullTest.options());
                Tensor tensor = PullTest.random("w", 10);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            assertThatThrownBy(() -> pair.b().publish(tensor, PublishOptions.readable()))
                    .isInstanceOf(InvalidTransferException.class)
                    .hasMessageContaining("'w'");
            assertThat(pair.b().published()).containsExactly(published);
        }
    }

    private static SoftPair whereAHas(Set<PeerRight> rights) {
        return new SoftPair(
                PullTest.options(),
                builder ->
                        builder.policy(nodeId -> nodeId.equals(TwoNodes.A) ? rights : EnumSet.allOf(PeerRight.class)));
    }

    @Test
    void whenThePeerLacksTheRightToPullThenItIsRefused() {
        try (SoftPair pair = whereAHas(EnumSet.of(PeerRight.PUSH));
                Tensor tensor = PullTest.random("w", 100);
                Tensor into = PullTest.empty(100);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            assertThat(failure(pair.a().pull(TwoNodes.B, "w", into, PLAIN)))
                    .isInstanceOf(TransferNotPermittedException.class)
                    .hasMessageContaining("'w'")
                    .hasMessageContaining("'node-b'");
            assertThat(published.peers()).isEmpty();
        }
    }

    @Test
    void whenTheTensorIsForOthersThenThePeerIsRefused() {
        try (SoftPair pair = whereAHas(EnumSet.allOf(PeerRight.class));
                Tensor tensor = PullTest.random("w", 100);
                Tensor into = PullTest.empty(100);
                PublishedTensor published =
                        pair.b().publish(tensor, PublishOptions.readable().withReaders("node-c", "feeder-*"))) {
            assertThat(failure(pair.a().pull(TwoNodes.B, "w", into, PLAIN)))
                    .isInstanceOf(TransferNotPermittedException.class);
            assertThat(published.peers()).isEmpty();
        }
    }

    @Test
    void whenATensorIsOnlyForWritersThenItIsNotRead() {
        try (SoftPair pair = whereAHas(EnumSet.allOf(PeerRight.class));
                Tensor tensor = PullTest.random("w", 100);
                Tensor into = PullTest.empty(100);
                PublishedTensor published = pair.b()
                        .publish(tensor, PublishOptions.readable().withReaders().withWriters("*"))) {
            assertThat(failure(pair.a().pull(TwoNodes.B, "w", into, PLAIN)))
                    .isInstanceOf(TransferNotPermittedException.class)
                    .hasMessageContaining("may not read");
            assertThat(published.peers()).containsExactly(TwoNodes.A);
        }
    }
}

package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.tensor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups of which a part is sent again, and the circuit breaker. */
@Timeout(60)
class GroupRetryTest {

    /** Pushes both as a group until their listeners have returned. */
    private static void awaitBoth(FakePair pair, Tensor one, Tensor two) throws Exception {
        CompletableFuture<List<TransferReceipt>> all = pair.left
                .transfers()
                .to("right")
                .receipt(ReceiptLevel.PROCESSED)
                .pushAll(List.of(one, two));
        assertThat(all.get(10, TimeUnit.SECONDS)).hasSize(2);
    }

    private static void cut(FakePair pair) {
        pair.left.connection().fail(new ConnectionException(ConnectionException.Kind.LOST, "right", "cut"));
    }

    @Test
    void whenAListenerRefusedOneOfAGroupAndTheConnectionIsLostThenItComesAgainByItself() throws Exception {
        RetryOptions late = new RetryOptions(3, Duration.ofMillis(500), 1, 0, Duration.ofMillis(500));
        try (FakePair pair = new FakePair(GroupListener.options().retry(late));
                Tensor one = tensor("one", 10, 1);
                Tensor two = tensor("two", 10, 2)) {
            Queue<String> heard = new ConcurrentLinkedQueue<>();
            pair.right.transfers().register("all", "*", "*", received -> {
                String name = received.tensor().name();
                heard.add(name);
                if (heard.size() == 1) {
                    cut(pair);
                    await().until(() -> pair.left.transfers().transfers().stream()
                                    .filter(push -> push.state() == TransferStatus.State.QUEUED)
                                    .count()
                            == 2);
                    throw new TensorRefusedException("not now", true);
                }
                received.close();
            });
            awaitBoth(pair, one, two);
            assertThat(heard).hasSize(3).contains("one", "two");
            await().until(() -> pair.right.transfers().statistics().openTensors() == 0);
        }
    }

    @Test
    void whenTheReceiverIsReplacedAfterItHandedAGroupOverThenItsSuccessorTakesTheRestByItself() throws Exception {
        try (FakePair pair = new FakePair(GroupListener.options());
                Tensor one = tensor("one", 10, 1);
                Tensor two = tensor("two", 10, 2)) {
            Queue<String> heard = new ConcurrentLinkedQueue<>();
            pair.right.transfers().register("all", "*", "*", received -> {
                heard.add(received.tensor().name());
                if (heard.size() == 2) {
                    await().until(() -> pair.left.transfers().statistics().pushed() == 1);
                    // To the receiver, this is another sender: it knows nothing of what came before, as its successor
                    // would.
                    pair.left.incarnation = "another";
                    cut(pair);
                    throw new TensorRefusedException("not now", true);
                }
                received.close();
            });
            awaitBoth(pair, one, two);
            assertThat(heard).hasSize(3);
            await().until(() -> pair.right.transfers().statistics().openTensors() == 0);
        }
    }

    @Test
    void whenTheTimeOfAnOpenBreakerIsOverThenWhoeverOfAGroupIsReadyFirstAsksForAll() throws Exception {
        CircuitBreakerOptions brief =
                new CircuitBreakerOptions(75, 20, 10, Duration.ofMillis(1), Duration.ofMillis(1), 1);
        try (FakePair pair = new FakePair(GroupListener.options()
                        .resilience(ResilienceOptions.defaults().withCircuitBreaker(brief)));
                Tensor slow = tensor("group/slow", 400_000, 1);
                Tensor fast = tensor("group/fast", 10, 2)) {
            GroupListener listener = new GroupListener(pair);
            listener.awaitTurn();
            CircuitBreaker breaker = pair.left.transfers().resilience().circuitBreaker("right");
            for (int i = 0; i < 10; i++) {
                breaker.transitionToOpenState();
                long opened = System.nanoTime();
                await().until(() -> System.nanoTime() - opened > 2_000_000);
                assertThat(breaker.getState()).isEqualTo(CircuitBreaker.State.OPEN);
                pair.left
                        .transfers()
                        .to("right")
                        .checksum()
                        .pushAll(List.of(slow, fast))
                        .get(10, TimeUnit.SECONDS);
                assertThat(breaker.getState()).isEqualTo(CircuitBreaker.State.CLOSED);
            }
        }
    }
}

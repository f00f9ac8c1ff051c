package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.FakePair.small;
import static io.tensorfabric.transfer.FakePair.tensor;
import static io.tensorfabric.transfer.PushTest.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.retry.Retry;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeerResilienceTest {

    private static final PushOptions PROCESSED = PushOptions.defaults().withReceipt(ReceiptLevel.PROCESSED);

    private static final RetryOptions FAST = new RetryOptions(3, Duration.ofMillis(5), 2);

    private static TransferOptions.Builder quick() {
        CircuitBreakerOptions breaker =
                new CircuitBreakerOptions(50, 10, 5, Duration.ofMillis(200), Duration.ofMillis(400), 1);
        return small().resilience(new ResilienceOptions(FAST, breaker, 1024));
    }

    private static CircuitBreaker breaker(FakePair pair) {
        return pair.left.transfers().resilience().circuitBreaker("right");
    }

    private static void push(FakePair pair, Tensor tensor) throws Exception {
        pair.left.transfers().push("right", tensor, PROCESSED).get(10, TimeUnit.SECONDS);
    }

    @Test
    void whenAPeerCannotBeReachedThenItsBreakerOpensAndPushesFailAtOnceUntilItCan() throws Exception {
        try (FakePair pair = new FakePair(quick());
                Tensor tensor = tensor("t", 10, 1)) {
            pair.right.transfers().register("all", "*", "*", ReceivedTensor::close);
            pair.right.unreachable = true;
            int connects = 0;
            for (int i = 0; i < 20 && breaker(pair).getState() == CircuitBreaker.State.CLOSED; i++) {
                assertThat(failure(pair.left.transfers().push("right", tensor)).kind())
                        .isEqualTo(TransferException.Kind.PEER_LOST);
                connects = pair.left.connects.get();
            }
            assertThat(breaker(pair).getState()).isEqualTo(CircuitBreaker.State.OPEN);
            TransferException e = failure(pair.left.transfers().push("right", tensor));
            assertThat(e).hasCauseInstanceOf(CallNotPermittedException.class).hasMessageContaining("'right'");
            assertThat(e).hasMessageContaining("'fabric.right' lets none through");
            assertThat(pair.left.connects).hasValue(connects);
            pair.right.unreachable = false;
            await().ignoreExceptions().untilAsserted(() -> push(pair, tensor));
            assertThat(breaker(pair).getState()).isEqualTo(CircuitBreaker.State.CLOSED);
        }
    }

    @Test
    void whenThePeerItselfConnectsThenItsOpenBreakerCloses() throws Exception {
        try (FakePair pair = new FakePair(quick());
                Tensor tensor = tensor("t", 10, 1)) {
            pair.right.transfers().register("all", "*", "*", ReceivedTensor::close);
            pair.left.transfers().register("all", "*", "*", ReceivedTensor::close);
            pair.left.transfers().push("right", tensor).get(10, TimeUnit.SECONDS);
            pair.left.connection().fail(new ConnectionException(ConnectionException.Kind.LOST, "right", "cut"));
            breaker(pair).transitionToOpenStateFor(Duration.ofMinutes(1));
            assertThat(failure(pair.left.transfers().push("right", tensor)))
                    .hasCauseInstanceOf(CallNotPermittedException.class);
            pair.right.transfers().push("left", tensor, PROCESSED).get(10, TimeUnit.SECONDS);
            push(pair, tensor);
        }
    }

    @Test
    void whenOneCutTakesManyPushesAlongThenAllAreTriedAgainAndTheBreakerStaysClosed() throws Exception {
        try (FakePair pair = new FakePair(quick());
                Tensor tensor = tensor("t", 5000, 1)) {
            AtomicInteger delivered = new AtomicInteger();
            pair.right.transfers().register("all", "*", "*", received -> {
                delivered.incrementAndGet();
                received.close();
            });
            push(pair, tensor);
            pair.left.faults.stopWire();
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                futures.add(pair.left.transfers().push("right", tensor, PROCESSED));
            }
            pair.left.connection().fail(new ConnectionException(ConnectionException.Kind.LOST, "right", "cut"));
            pair.left.faults.resume();
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
            assertThat(breaker(pair).getState()).isEqualTo(CircuitBreaker.State.CLOSED);
            assertThat(breaker(pair).getMetrics().getNumberOfFailedCalls()).isLessThanOrEqualTo(1);
            assertThat(delivered).hasValue(101);
            Retry.Metrics retries =
                    pair.left.transfers().resilience().retry("right").getMetrics();
            assertThat(retries.getNumberOfSuccessfulCallsWithRetryAttempt()).isEqualTo(100);
            assertThat(retries.getNumberOfSuccessfulCallsWithoutRetryAttempt()).isEqualTo(1);
        }
    }

    @Test
    void whenPushesRunIntoTheirDeadlinesWithAPeerThenItsBreakerOpens() throws Exception {
        try (FakePair pair = new FakePair(quick());
                Tensor tensor = tensor("t", 10, 1)) {
            pair.right.transfers().register("all", "*", "*", ReceivedTensor::close);
            push(pair, tensor);
            pair.right.faults.stopWire();
            PushOptions hasty = PROCESSED.withDeadline(Duration.ofMillis(20));
            for (int i = 0; i < 10; i++) {
                assertThat(failure(pair.left.transfers().push("right", tensor, hasty))
                                .kind())
                        .isIn(TransferException.Kind.DEADLINE, TransferException.Kind.PEER_LOST);
            }
            assertThat(breaker(pair).getMetrics().getNumberOfNotPermittedCalls())
                    .isPositive();
            pair.right.faults.resume();
            await().ignoreExceptions().untilAsserted(() -> push(pair, tensor));
        }
    }

    @Test
    void whenThePeerRefusesTensorsThenItsBreakerStaysClosed() throws Exception {
        try (FakePair pair = new FakePair(quick());
                Tensor tensor = tensor("t", 10, 1)) {
            pair.right.transfers().register("bad", "*", "*", received -> {
                throw new IllegalArgumentException("not today");
            });
            for (int i = 0; i < 20; i++) {
                assertThat(failure(pair.left.transfers().push("right", tensor, PROCESSED))
                                .kind())
                        .isEqualTo(TransferException.Kind.LISTENER_FAILED);
            }
            assertThat(breaker(pair).getState()).isEqualTo(CircuitBreaker.State.CLOSED);
            assertThat(breaker(pair).getMetrics().getNumberOfSuccessfulCalls()).isEqualTo(10);
        }
    }

    @Test
    void whenPushesAreUnderWayThenTheBulkheadCountsThemAndGetsAllBack() throws Exception {
        try (FakePair pair = new FakePair(quick().maxInFlight(3));
                Tensor tensor = tensor("t", 10, 1)) {
            CountDownLatch go = new CountDownLatch(1);
            pair.right.transfers().register("slow", "*", "*", received -> {
                go.await();
                received.close();
            });
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                futures.add(pair.left.transfers().push("right", tensor, PROCESSED));
            }
            Bulkhead bulkhead = pair.left.transfers().resilience().bulkhead("right");
            assertThat(bulkhead.getMetrics().getMaxAllowedConcurrentCalls()).isEqualTo(3);
            assertThat(bulkhead.getMetrics().getAvailableConcurrentCalls()).isZero();
            go.countDown();
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
            await().untilAsserted(() -> assertThat(bulkhead.getMetrics().getAvailableConcurrentCalls())
                    .isEqualTo(3));
        }
    }

    @Test
    void whenAPeerHasOptionsOfItsOwnThenTheyHoldForItAlone() {
        ResilienceOptions one = ResilienceOptions.defaults().withMaxInFlight(1).withRetry(RetryOptions.none());
        PeerResilience resilience = new PeerResilience(
                PeerResilience.Registries.create(), ResilienceOptions.defaults(), Map.of("ranker", one));
        assertThat(resilience.bulkhead("ranker").getBulkheadConfig().getMaxConcurrentCalls())
                .isEqualTo(1);
        assertThat(resilience.retry("ranker").getRetryConfig().getMaxAttempts()).isEqualTo(1);
        assertThat(resilience.bulkhead("other").getBulkheadConfig().getMaxConcurrentCalls())
                .isEqualTo(1024);
        assertThat(resilience.retry("other").getName()).isEqualTo("fabric.other");
    }

    @Test
    void whenANameIsNoPeersThenNothingOfItStaysInTheRegistries() throws Exception {
        try (FakePair pair = new FakePair(quick());
                Tensor tensor = tensor("t", 10, 1)) {
            for (int i = 0; i < 20; i++) {
                assertThat(failure(pair.left.transfers().push("nobody-" + i, tensor))
                                .kind())
                        .isEqualTo(TransferException.Kind.UNKNOWN_PEER);
            }
            PeerResilience.Registries registries =
                    pair.left.transfers().resilience().registries();
            await().untilAsserted(() -> {
                assertThat(registries.circuitBreakers().getAllCircuitBreakers()).isEmpty();
                assertThat(registries.retries().getAllRetries()).isEmpty();
                assertThat(registries.bulkheads().getAllBulkheads()).isEmpty();
            });
        }
    }
}

package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.core.EventProcessor;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The breaker of a peer while connections come up at the worst of moments. */
class PeerGuardTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private Instant now = START;

    private Runnable before = () -> {};

    /** Runs something just before it tells the time, once. */
    private Instant interrupted() {
        Runnable first = before;
        before = () -> {};
        first.run();
        return now;
    }

    @Test
    void whenAConnectionComesUpAsTheWaitOfTheBreakerEndsThenTheAttemptIsPermitted() {
        InstantSource time = this::interrupted;
        CircuitBreakerRegistry breakers = CircuitBreakerRegistry.ofDefaults();
        CircuitBreaker breaker = breakers.circuitBreaker(
                "fabric.right",
                CircuitBreakerConfig.custom()
                        .clock(time.withZone(ZoneOffset.UTC))
                        .build());
        PeerGuard guard = new PeerGuard(
                new PeerResilience(
                        new PeerResilience.Registries(
                                breakers, RetryRegistry.ofDefaults(), BulkheadRegistry.ofDefaults()),
                        ResilienceOptions.defaults(),
                        Map.of()),
                "right");
        breaker.transitionToOpenStateFor(Duration.ofSeconds(1));
        assertThat(guard.enter()).isNotNull();

        now = START.plusSeconds(2);
        before = guard::connected;

        assertThat(guard.enter()).isNull();
        assertThat(breaker.getState()).isEqualTo(CircuitBreaker.State.CLOSED);
    }

    private static PeerGuard guard(CircuitBreakerRegistry breakers, RetryRegistry retries) {
        return new PeerGuard(
                new PeerResilience(
                        new PeerResilience.Registries(breakers, retries, BulkheadRegistry.ofDefaults()),
                        ResilienceOptions.defaults(),
                        Map.of()),
                "right");
    }

    private static boolean makesEvents(CircuitBreaker breaker) {
        return ((EventProcessor<?>) breaker.getEventPublisher()).hasConsumers();
    }

    @Test
    void whenAllGoesWellThenTheBreakerMakesNoEventsOfIt() {
        CircuitBreakerRegistry breakers = CircuitBreakerRegistry.ofDefaults();
        PeerGuard guard = guard(breakers, RetryRegistry.ofDefaults());
        CircuitBreaker breaker = breakers.circuitBreaker("fabric.right");

        assertThat(guard.enter()).isNull();
        guard.answered(1000);
        guard.left();
        assertThat(makesEvents(breaker)).isFalse();
        assertThat(breaker.getMetrics().getNumberOfSuccessfulCalls()).isOne();

        guard.failed(1000, new IllegalStateException("late"));
        assertThat(makesEvents(breaker))
                .as("transitions are told from the first failure on")
                .isTrue();
    }

    @Test
    void whenTheBreakerIsOpenedByOthersThenItsTransitionsAreToldFromTheFirstRefusalOn() {
        CircuitBreakerRegistry breakers = CircuitBreakerRegistry.ofDefaults();
        PeerGuard guard = guard(breakers, RetryRegistry.ofDefaults());
        CircuitBreaker breaker = breakers.circuitBreaker("fabric.right");

        breaker.transitionToForcedOpenState();
        assertThat(guard.enter()).isNotNull();
        assertThat(makesEvents(breaker)).isTrue();
    }

    @Test
    void whenPushesSucceedAtOnceThenEachIsCounted() {
        RetryRegistry retries = RetryRegistry.ofDefaults();
        PeerGuard guard = guard(CircuitBreakerRegistry.ofDefaults(), retries);

        guard.succeededAtOnce();
        guard.succeededAtOnce();

        Retry.Metrics metrics = retries.retry("fabric.right").getMetrics();
        assertThat(metrics.getNumberOfSuccessfulCallsWithoutRetryAttempt()).isEqualTo(2);
        assertThat(metrics.getNumberOfFailedCallsWithoutRetryAttempt()).isZero();
    }
}

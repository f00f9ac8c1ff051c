package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
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
}

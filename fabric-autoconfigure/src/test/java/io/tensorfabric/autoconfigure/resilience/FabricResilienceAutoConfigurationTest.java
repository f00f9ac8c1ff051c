package io.tensorfabric.autoconfigure.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.github.resilience4j.retry.RetryRegistry;
import io.github.resilience4j.springboot.bulkhead.autoconfigure.BulkheadAutoConfiguration;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration;
import io.github.resilience4j.springboot.circuitbreaker.monitoring.endpoint.CircuitBreakerEndpoint;
import io.github.resilience4j.springboot.circuitbreaker.monitoring.endpoint.CircuitBreakerEventsEndpoint;
import io.github.resilience4j.springboot.ratelimiter.autoconfigure.RateLimiterAutoConfiguration;
import io.github.resilience4j.springboot.ratelimiter.monitoring.endpoint.RateLimiterEndpoint;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;
import io.github.resilience4j.springboot.retry.monitoring.endpoint.RetryEndpoint;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.PeerResilience;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class FabricResilienceAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    io.tensorfabric.autoconfigure.FabricAutoConfiguration.class,
                    io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration.class,
                    io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration.class,
                    FabricResilienceAutoConfiguration.class,
                    FabricResilienceMetricsAutoConfiguration.class))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withPropertyValues(
                    "fabric.provider=soft",
                    "fabric.memory.host.slab-size=8MB",
                    "fabric.memory.host.max-size=32MB",
                    "fabric.resilience.circuit-breaker.minimum-outcomes=3",
                    "fabric.connection.reconnect-backoff=1ms",
                    "fabric.connection.max-reconnect-backoff=1ms");

    /** Pushes to a peer where nobody listens until the breaker opens. */
    private static void pushUntilOpen(ApplicationContext context, CircuitBreakerRegistry registry) {
        TensorTransferService transfers = context.getBean(TensorTransferService.class);
        try (Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(1), new byte[1])) {
            for (int i = 0; i < 10; i++) {
                PushOptions options = PushOptions.defaults().withDeadline(Duration.ofSeconds(5));
                assertThatThrownBy(
                                () -> transfers.push("ranker", tensor, options).get(10, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(TransferException.class);
            }
        }
        assertThat(registry.circuitBreaker("fabric.ranker").getState()).isEqualTo(CircuitBreaker.State.OPEN);
    }

    private static String deadPeer() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "fabric.peers=ranker=http://127.0.0.1:" + free.getLocalPort();
        }
    }

    @Test
    void whenTheApplicationHasNoRegistriesThenTheFabricsOwnHaveMeters() throws Exception {
        runner.withPropertyValues(deadPeer()).run(context -> {
            assertThat(context).doesNotHaveBean(CircuitBreakerRegistry.class);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(meters));
            pushUntilOpen(
                    context, context.getBean(PeerResilience.class).registries().circuitBreakers());
            assertThat(meters.get("resilience4j.circuitbreaker.state")
                            .tags("name", "fabric.ranker", "state", "open")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            assertThat(meters.get("resilience4j.retry.calls")
                            .tags("name", "fabric.ranker", "kind", "failed_with_retry")
                            .functionCounter()
                            .count())
                    .isPositive();
            assertThat(meters.get("resilience4j.bulkhead.available.concurrent.calls")
                            .tags("name", "fabric.ranker")
                            .gauge()
                            .value())
                    .isEqualTo(1024);
        });
    }

    @Test
    void whenTheApplicationHasResilience4jsStarterThenItsEndpointsShowThePeers() throws Exception {
        runner.withConfiguration(AutoConfigurations.of(
                        BulkheadAutoConfiguration.class,
                        CircuitBreakerAutoConfiguration.class,
                        RateLimiterAutoConfiguration.class,
                        RetryAutoConfiguration.class))
                .withPropertyValues(deadPeer(), "management.endpoints.web.exposure.include=*")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    CircuitBreakerRegistry registry = context.getBean(CircuitBreakerRegistry.class);
                    PeerResilience.Registries used =
                            context.getBean(PeerResilience.class).registries();
                    assertThat(used.circuitBreakers()).isSameAs(registry);
                    assertThat(used.retries()).isSameAs(context.getBean(RetryRegistry.class));
                    assertThat(used.bulkheads()).isSameAs(context.getBean(BulkheadRegistry.class));
                    assertThat(context.getBean(NegotiationRates.class).registry())
                            .isSameAs(context.getBean(RateLimiterRegistry.class));
                    context.getBean(NegotiationRates.class).connecting("embeddings-1");
                    pushUntilOpen(context, registry);
                    assertThat(context.getBean(CircuitBreakerEndpoint.class)
                                    .getAllCircuitBreakers()
                                    .getCircuitBreakers()
                                    .get("fabric.ranker")
                                    .getState())
                            .isEqualTo(CircuitBreaker.State.OPEN);
                    assertThat(context.getBean(CircuitBreakerEventsEndpoint.class)
                                    .getEventsFilteredByCircuitBreakerName("fabric.ranker")
                                    .getCircuitBreakerEvents())
                            .isNotEmpty();
                    assertThat(context.getBean(RetryEndpoint.class)
                                    .getAllRetries()
                                    .getRetries())
                            .containsExactly("fabric.ranker");
                    assertThat(context.getBean(RateLimiterEndpoint.class)
                                    .getAllRateLimiters()
                                    .getRateLimiters())
                            .containsExactly("fabric.embeddings-1");
                });
    }

    @Test
    void whenAPeerHasValuesOfItsOwnThenTheyReplaceTheCommonOnes() {
        runner.withPropertyValues(
                        "fabric.resilience.bulkhead.max-in-flight=7",
                        "fabric.resilience.peers[0].name=ranker",
                        "fabric.resilience.peers[0].retry.attempts=1")
                .run(context -> {
                    PeerResilience.Registries registries =
                            context.getBean(PeerResilience.class).registries();
                    assertThat(registries
                                    .retries()
                                    .getConfiguration("fabric.ranker")
                                    .orElseThrow()
                                    .getMaxAttempts())
                            .isEqualTo(1);
                    assertThat(registries
                                    .bulkheads()
                                    .getConfiguration("fabric.ranker")
                                    .orElseThrow()
                                    .getMaxConcurrentCalls())
                            .isEqualTo(7);
                    assertThat(registries
                                    .retries()
                                    .getConfiguration("fabric")
                                    .orElseThrow()
                                    .getMaxAttempts())
                            .isEqualTo(3);
                });
    }

    @Test
    void whenANodeAsksForConnectionsTooOftenThenItIsRefusedAndOthersAreNot() {
        runner.withPropertyValues("fabric.resilience.rate-limiter.limit=3", "fabric.resilience.rate-limiter.period=60s")
                .run(context -> {
                    NegotiationRates rates = context.getBean(NegotiationRates.class);
                    for (int i = 0; i < 3; i++) {
                        rates.connecting("greedy");
                    }
                    assertThatThrownBy(() -> rates.connecting("greedy"))
                            .isInstanceOfSatisfying(
                                    ConnectionException.class,
                                    e -> assertThat(e.kind()).isEqualTo(ConnectionException.Kind.LIMIT))
                            .hasMessageContaining("greedy")
                            .hasMessageContaining("60000 ms");
                    rates.connecting("other");
                    for (int i = 0; i < 2000; i++) {
                        String name = "invented-" + i;
                        try {
                            rates.connecting(name);
                        } catch (ConnectionException e) {
                            assertThat(i).isGreaterThan(1000);
                        }
                    }
                    assertThat(rates.registry().getAllRateLimiters()).hasSizeLessThan(1100);
                });
    }
}

package io.tensorfabric.autoconfigure.resilience;

import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedBulkheadMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedRateLimiterMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedRetryMetrics;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.github.resilience4j.retry.RetryRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.tensorfabric.transfer.PeerResilience;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of Resilience4j's own meters for registries that nobody else shows. */
@AutoConfiguration(
        after = FabricResilienceAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({MeterRegistry.class, TaggedCircuitBreakerMetrics.class})
@ConditionalOnBean({PeerResilience.class, NegotiationRates.class, MeterRegistry.class})
public final class FabricResilienceMetricsAutoConfiguration {

    FabricResilienceMetricsAutoConfiguration() {}

    @Bean
    MeterBinder fabricResilienceMeters(
            PeerResilience resilience,
            NegotiationRates rates,
            ObjectProvider<CircuitBreakerRegistry> circuitBreakers,
            ObjectProvider<RetryRegistry> retries,
            ObjectProvider<BulkheadRegistry> bulkheads,
            ObjectProvider<RateLimiterRegistry> rateLimiters) {
        PeerResilience.Registries own = resilience.registries();
        return meters -> {
            if (isAnother(circuitBreakers.getIfUnique(), own.circuitBreakers())) {
                TaggedCircuitBreakerMetrics.ofCircuitBreakerRegistry(own.circuitBreakers())
                        .bindTo(meters);
            }
            if (isAnother(retries.getIfUnique(), own.retries())) {
                TaggedRetryMetrics.ofRetryRegistry(own.retries()).bindTo(meters);
            }
            if (isAnother(bulkheads.getIfUnique(), own.bulkheads())) {
                TaggedBulkheadMetrics.ofBulkheadRegistry(own.bulkheads()).bindTo(meters);
            }
            if (isAnother(rateLimiters.getIfUnique(), rates.registry())) {
                TaggedRateLimiterMetrics.ofRateLimiterRegistry(rates.registry()).bindTo(meters);
            }
        };
    }

    /** The application's registry, which its own binder serves, is not the one in use. */
    @SuppressWarnings("ReferenceEquality") // the same object is meant
    private static boolean isAnother(@Nullable Object registry, Object own) {
        return registry != own;
    }
}

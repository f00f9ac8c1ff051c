package io.tensorfabric.autoconfigure.resilience;

import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.github.resilience4j.retry.RetryRegistry;
import io.tensorfabric.autoconfigure.FabricProperties;
import io.tensorfabric.autoconfigure.ResilienceProperties;
import io.tensorfabric.transfer.PeerResilience;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of what guards peers. Where the application has registries of Resilience4j, such as those of its Spring
 * Boot starter, the instances live in them, so that its endpoints, health and meters show them too; else in registries of
 * their own.
 */
@AutoConfiguration(
        beforeName = "io.tensorfabric.autoconfigure.FabricAutoConfiguration",
        afterName = {
            "io.github.resilience4j.springboot.bulkhead.autoconfigure.BulkheadAutoConfiguration",
            "io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration",
            "io.github.resilience4j.springboot.ratelimiter.autoconfigure.RateLimiterAutoConfiguration",
            "io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "fabric.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FabricProperties.class)
public final class FabricResilienceAutoConfiguration {

    FabricResilienceAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    PeerResilience fabricPeerResilience(
            FabricProperties properties,
            ObjectProvider<CircuitBreakerRegistry> circuitBreakers,
            ObjectProvider<RetryRegistry> retries,
            ObjectProvider<BulkheadRegistry> bulkheads) {
        ResilienceProperties resilience = properties.resilience();
        return new PeerResilience(
                new PeerResilience.Registries(
                        circuitBreakers.getIfUnique(CircuitBreakerRegistry::ofDefaults),
                        retries.getIfUnique(RetryRegistry::ofDefaults),
                        bulkheads.getIfUnique(BulkheadRegistry::ofDefaults)),
                resilience.toOptions(),
                resilience.toPeerOptions());
    }

    @Bean
    @ConditionalOnMissingBean
    NegotiationRates fabricNegotiationRates(
            FabricProperties properties, ObjectProvider<RateLimiterRegistry> rateLimiters) {
        return new NegotiationRates(
                rateLimiters.getIfUnique(RateLimiterRegistry::ofDefaults),
                properties.resilience().rateLimiter());
    }
}

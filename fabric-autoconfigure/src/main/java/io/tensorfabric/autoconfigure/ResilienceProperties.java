package io.tensorfabric.autoconfigure;

import io.tensorfabric.transfer.CircuitBreakerOptions;
import io.tensorfabric.transfer.ResilienceOptions;
import io.tensorfabric.transfer.RetryOptions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * How pushes are tried again, given up and held back, each peer by itself.
 *
 * @param retry How a push is tried again after its connection was lost or could not be made.
 * @param circuitBreaker When pushes to a peer fail at once because the latest ones failed.
 * @param bulkhead What pushes to one peer may occupy.
 * @param rateLimiter How often a peer may ask this node for a connection.
 * @param peers Peers for which other values hold.
 */
public record ResilienceProperties(
        @DefaultValue Retry retry,
        @DefaultValue CircuitBreaker circuitBreaker,
        @DefaultValue Bulkhead bulkhead,
        @DefaultValue RateLimiter rateLimiter,
        @DefaultValue List<ForPeer> peers) {

    private static final String PREFIX = "fabric.resilience";

    public ResilienceProperties {
        peers = List.copyOf(peers);
        Set<String> names = new HashSet<>();
        for (ForPeer peer : peers) {
            PropertyChecks.require(
                    PREFIX + ".peers", peer.name(), names.add(peer.name()), "Two entries have this name.");
        }
    }

    /** What holds for peers without an entry of their own. */
    public ResilienceOptions toOptions() {
        return new ResilienceOptions(retry.toOptions(), circuitBreaker.toOptions(), bulkhead.maxInFlight());
    }

    /** What holds for the peers that have an entry. */
    public Map<String, ResilienceOptions> toPeerOptions() {
        Map<String, ResilienceOptions> options = new HashMap<>();
        for (ForPeer peer : peers) {
            options.put(
                    peer.name(),
                    new ResilienceOptions(
                            (peer.retry() == null ? retry : peer.retry()).toOptions(),
                            (peer.circuitBreaker() == null ? circuitBreaker : peer.circuitBreaker()).toOptions(),
                            (peer.bulkhead() == null ? bulkhead : peer.bulkhead()).maxInFlight()));
        }
        return options;
    }

    /**
     * Retries.
     *
     * @param attempts Most tries, the first included.
     * @param backoff Wait before the second try.
     * @param multiplier What the wait grows by with each further try.
     * @param jitter By which part of itself each wait is randomly shorter or longer, from 0 to below 1.
     * @param maxBackoff Longest wait, before jitter.
     */
    public record Retry(
            @DefaultValue("3") int attempts,

            @DefaultValue("50ms") @DurationUnit(ChronoUnit.SECONDS)
            Duration backoff,

            @DefaultValue("2") double multiplier,
            @DefaultValue("0.5") double jitter,

            @DefaultValue("5s") @DurationUnit(ChronoUnit.SECONDS)
            Duration maxBackoff) {

        public Retry {
            PropertyChecks.range(PREFIX + ".retry.attempts", attempts, 1, 65535);
            PropertyChecks.notNegative(PREFIX + ".retry.backoff", backoff);
            PropertyChecks.notNegative(PREFIX + ".retry.max-backoff", maxBackoff);
            PropertyChecks.require(
                    PREFIX + ".retry.multiplier",
                    multiplier,
                    multiplier >= 1 && multiplier <= 1000,
                    "It must be from 1 to 1000.");
            PropertyChecks.require(
                    PREFIX + ".retry.jitter", jitter, jitter >= 0 && jitter < 1, "It must be from 0 to below 1.");
            PropertyChecks.require(
                    PREFIX + ".retry.max-backoff",
                    maxBackoff,
                    maxBackoff.compareTo(backoff) >= 0,
                    "It must be at least the first wait, which is " + backoff + ".");
        }

        RetryOptions toOptions() {
            return new RetryOptions(attempts, backoff, multiplier, jitter, maxBackoff);
        }
    }

    /**
     * A circuit breaker.
     *
     * @param failureRate Percentage of failed pushes and connections from which on it opens.
     * @param window Latest outcomes that count.
     * @param minimumOutcomes Outcomes before it may open.
     * @param openWait How long it stays open at first; doubles with each further time in a row.
     * @param maxOpenWait Longest of these times.
     * @param probes Pushes that may try the peer then; their outcome decides.
     */
    public record CircuitBreaker(
            @DefaultValue("75") float failureRate,
            @DefaultValue("20") int window,
            @DefaultValue("10") int minimumOutcomes,

            @DefaultValue("1s") @DurationUnit(ChronoUnit.SECONDS)
            Duration openWait,

            @DefaultValue("15s") @DurationUnit(ChronoUnit.SECONDS)
            Duration maxOpenWait,

            @DefaultValue("2") int probes) {

        public CircuitBreaker {
            String prefix = PREFIX + ".circuit-breaker";
            PropertyChecks.require(
                    prefix + ".failure-rate",
                    failureRate,
                    failureRate > 0 && failureRate <= 100,
                    "It must be above 0 and at most 100.");
            PropertyChecks.range(prefix + ".window", window, 1, 100_000);
            PropertyChecks.range(prefix + ".minimum-outcomes", minimumOutcomes, 1, window);
            PropertyChecks.range(prefix + ".probes", probes, 1, 1000);
            PropertyChecks.positive(prefix + ".open-wait", openWait);
            PropertyChecks.require(
                    prefix + ".max-open-wait",
                    maxOpenWait,
                    maxOpenWait.compareTo(openWait) >= 0,
                    "It must be at least the first time, which is " + openWait + ".");
        }

        CircuitBreakerOptions toOptions() {
            return PropertyChecks.checked(
                    PREFIX + ".circuit-breaker",
                    () -> new CircuitBreakerOptions(
                            failureRate, window, minimumOutcomes, openWait, maxOpenWait, probes));
        }
    }

    /**
     * A bulkhead.
     *
     * @param maxInFlight Most pushes under way to a peer.
     */
    public record Bulkhead(@DefaultValue("1024") int maxInFlight) {

        public Bulkhead {
            PropertyChecks.range(PREFIX + ".bulkhead.max-in-flight", maxInFlight, 1, 1 << 20);
        }
    }

    /**
     * A limit of inbound negotiations.
     *
     * @param limit Connections that a peer may ask for in a period; further ones are answered 429.
     * @param period The period.
     */
    public record RateLimiter(
            @DefaultValue("20") int limit,

            @DefaultValue("1s") @DurationUnit(ChronoUnit.SECONDS)
            Duration period) {

        public RateLimiter {
            PropertyChecks.range(PREFIX + ".rate-limiter.limit", limit, 1, 1_000_000);
            PropertyChecks.positive(PREFIX + ".rate-limiter.period", period);
        }
    }

    /**
     * Values for one peer. A group that is set here replaces the common one as a whole.
     *
     * @param name Name of the peer, as in fabric.peers.
     * @param retry How a push to it is tried again.
     * @param circuitBreaker When pushes to it fail at once.
     * @param bulkhead What pushes to it may occupy.
     */
    public record ForPeer(
            String name,
            @Nullable Retry retry,
            @Nullable CircuitBreaker circuitBreaker,
            @Nullable Bulkhead bulkhead) {

        public ForPeer {
            PropertyChecks.name(PREFIX + ".peers[].name", name);
        }
    }
}

package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.resilience4j.core.functions.Either;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TransferOptionsTest {

    @Test
    void whenNothingIsSetThenTheDefaultsHold() {
        TransferOptions options = TransferOptions.defaults();
        assertThat(options.landingZoneSize()).isEqualTo(64 << 20);
        assertThat(options.landingChoice()).isTrue();
        assertThat(options.defaultDeadline()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.smallThreshold()).isEqualTo(64 << 10);
        assertThat(options.stripeThreshold()).isEqualTo(4 << 20);
        assertThat(options.resilience().retry().attempts()).isEqualTo(3);
        assertThat(options).isEqualTo(TransferOptions.builder().build());
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of("landingZoneSize", set(b -> b.landingZoneSize(0))),
                Arguments.of("maxDedicatedBytes", set(b -> b.maxDedicatedBytes(-1))),
                Arguments.of("maxDedicatedZonesPerPeer", set(b -> b.maxDedicatedZonesPerPeer(0))),
                Arguments.of("dedicatedZoneIdle", set(b -> b.dedicatedZoneIdle(Duration.ZERO))),
                Arguments.of("defaultDeadline", set(b -> b.defaultDeadline(Duration.ofSeconds(-1)))),
                Arguments.of("chunkSize", set(b -> b.chunkSize(1))),
                Arguments.of("maxInFlight", set(b -> b.maxInFlight(0))),
                Arguments.of("smallThreshold", set(b -> b.smallThreshold(-1))),
                Arguments.of("stripeThreshold", set(b -> b.stripeThreshold(-1))),
                Arguments.of("maxTensorBytes", set(b -> b.maxTensorBytes(0))),
                Arguments.of("maxHeadersBytes", set(b -> b.maxHeadersBytes(2049))),
                Arguments.of("dedupeWindow", set(b -> b.dedupeWindow(0))),
                Arguments.of("listenerThreads", set(b -> b.listenerThreads(0))));
    }

    private static UnaryOperator<TransferOptions.Builder> set(UnaryOperator<TransferOptions.Builder> change) {
        return change;
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void whenAnOptionIsOutOfRangeThenItIsNamed(String name, UnaryOperator<TransferOptions.Builder> change) {
        assertThatThrownBy(() -> change.apply(TransferOptions.builder()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }

    /** The longest of many waits. */
    private static long longest(RetryConfig config, int attempt) {
        return IntStream.range(0, 200)
                .mapToLong(i -> wait(config, attempt))
                .max()
                .orElseThrow();
    }

    private static long wait(RetryConfig config, int attempt) {
        return config.<Object>getIntervalBiFunction().apply(attempt, Either.left(new IllegalStateException()));
    }

    @Test
    void whenAttemptsFailThenTheBackoffGrowsToItsLimitAndIsSpreadByJitter() {
        RetryConfig config = new RetryOptions(9, Duration.ofMillis(100), 2, 0.5, Duration.ofMillis(300)).toConfig();
        assertThat(longest(config, 1)).isBetween(120L, 150L);
        assertThat(longest(config, 2)).isBetween(240L, 300L);
        assertThat(longest(config, 9)).isBetween(250L, 450L);
        RetryConfig usual = RetryOptions.defaults().toConfig();
        assertThat(IntStream.range(0, 50)
                        .mapToLong(i -> wait(usual, 1))
                        .distinct()
                        .count())
                .isGreaterThan(5);
    }

    @Test
    void whenRetriesAreOutOfRangeThenTheyAreRefused() {
        Duration second = Duration.ofSeconds(1);
        assertThatThrownBy(() -> new RetryOptions(0, Duration.ZERO, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RetryOptions(1, Duration.ZERO, Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RetryOptions(1, second, 1, 1, second)).hasMessageContaining("jitter");
        assertThatThrownBy(() -> new RetryOptions(1, second, 1, 0, Duration.ofMillis(1)))
                .hasMessageContaining("at least the first one");
        assertThatThrownBy(() -> new CircuitBreakerOptions(0, 10, 10, second, second, 1))
                .hasMessageContaining("failure rate");
        assertThatThrownBy(() -> new CircuitBreakerOptions(50, 10, 11, second, second, 1))
                .hasMessageContaining("outcomes");
        assertThatThrownBy(() -> new CircuitBreakerOptions(50, 10, 10, second, Duration.ofMillis(1), 1))
                .hasMessageContaining("longest");
    }
}

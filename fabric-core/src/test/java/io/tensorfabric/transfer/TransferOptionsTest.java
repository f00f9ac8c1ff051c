package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.UnaryOperator;
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
        assertThat(options.defaultDeadline()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.smallThreshold()).isEqualTo(64 << 10);
        assertThat(options.retry().attempts()).isEqualTo(3);
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
        TransferOptions.Builder builder = change.apply(TransferOptions.builder());
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }

    @Test
    void whenAttemptsFailThenTheBackoffGrows() {
        RetryOptions retry = RetryOptions.defaults();
        assertThat(retry.backoffNanos(1)).isEqualTo(50_000_000);
        assertThat(retry.backoffNanos(2)).isEqualTo(100_000_000);
        assertThat(new RetryOptions(9999, Duration.ofDays(1), 100).backoffNanos(9000))
                .isEqualTo(600_000_000_000L);
        assertThatThrownBy(() -> new RetryOptions(0, Duration.ZERO, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RetryOptions(1, Duration.ZERO, Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

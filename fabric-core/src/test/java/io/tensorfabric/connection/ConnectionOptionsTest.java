package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectionOptionsTest {

    static Stream<Arguments> badOptions() {
        return Stream.of(
                bad("bulkLanes", builder -> builder.bulkLanes(16)),
                bad("controlDepth", builder -> builder.controlDepth(1)),
                bad("bulkDepth", builder -> builder.bulkDepth(0)),
                bad("receiveCredits", builder -> builder.receiveCredits(7)),
                bad("maxConnections", builder -> builder.maxConnections(0)),
                bad("negotiationTimeout", builder -> builder.negotiationTimeout(Duration.ZERO)),
                bad("heartbeatTimeout", builder -> builder.heartbeatTimeout(Duration.ofSeconds(1))),
                bad("maxReconnectBackoff", builder -> builder.maxReconnectBackoff(Duration.ofMillis(1))));
    }

    private static Arguments bad(String name, UnaryOperator<ConnectionOptions.Builder> change) {
        return Arguments.of(name, change);
    }

    @ParameterizedTest
    @MethodSource("badOptions")
    void whenAnOptionIsOutOfRangeThenItIsNamed(String name, UnaryOperator<ConnectionOptions.Builder> change) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> change.apply(ConnectionOptions.builder()).build())
                .withMessageContaining(name);
    }

    @Test
    void whenCopiedThroughTheBuilderThenNothingIsLost() {
        ConnectionOptions options = ConnectionOptions.builder()
                .bulkLanes(3)
                .controlDepth(33)
                .bulkDepth(44)
                .receiveCredits(55)
                .maxConnections(66)
                .build();
        assertThat(options.toBuilder().build()).isEqualTo(options);
    }

    @Test
    void whenDefaultThenRetriesEndAtSomeTime() {
        ConnectionOptions.LinkOptions link = ConnectionOptions.defaults().link();
        assertThat(link.retryCount()).isLessThan(7);
        assertThat(link.rnrRetry()).isLessThan(7);
        assertThat(link.minRnrTimer()).isPositive();
        assertThat(link.timeout()).isPositive();
    }
}

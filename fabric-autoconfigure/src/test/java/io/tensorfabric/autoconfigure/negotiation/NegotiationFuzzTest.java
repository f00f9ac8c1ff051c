package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.testing.FuzzRegression;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was ever found, and a few seconds of changes of it. The long search is {@code ./dev fuzz}. */
@Timeout(60)
class NegotiationFuzzTest {

    @Test
    void whenABodyIsAnythingThenItIsAnsweredOrRefusedInWordsAndNothingStays() throws IOException {
        assertThat(FuzzRegression.run("negotiation", NegotiationFuzz::fuzzerTestOneInput, Duration.ofSeconds(2)))
                .isGreaterThan(100);
        assertThat(NegotiationFuzz.connected()).isGreaterThan(1);
    }
}

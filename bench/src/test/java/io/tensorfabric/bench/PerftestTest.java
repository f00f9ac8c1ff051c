package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class PerftestTest {

    private static final String OUTPUT = """
             #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
             65536      18600            0.00               387.45             0.006199
            """;

    @Test
    void whenAResultIsPrintedThenItsColumnIsTaken() throws IOException {
        assertThat(Perftest.column(OUTPUT, 65536, 3)).isEqualTo(387.45);
    }

    @Test
    void whenThereIsNoNumberThenItIsNoFailure() throws IOException {
        assertThat(Perftest.column("4096  45  inf  0.00", 4096, 2)).isInfinite();
    }

    @Test
    void whenARunIsLongEnoughForMarginsThenTheyAreNotCounted() {
        assertThat(Perftest.countedSeconds(1)).isEqualTo(1);
        assertThat(Perftest.countedSeconds(3)).isEqualTo(3);
        assertThat(Perftest.countedSeconds(4)).isEqualTo(2);
        assertThat(Perftest.countedSeconds(10)).isEqualTo(6);
    }

    @Test
    void whenThereIsNoResultThenTheOutputIsShown() {
        assertThatIOException()
                .isThrownBy(() -> Perftest.column("Couldn't connect", 65536, 3))
                .withMessageContaining("Couldn't connect");
    }
}

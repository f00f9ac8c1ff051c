package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.bench.peers.Samples;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IdleReportTest {

    private final IdleReport report = new IdleReport(new ByteSize(1 << 20));

    private static Samples samples(long micros) {
        Samples samples = new Samples();
        for (int i = 0; i < 98; i++) {
            samples.add(micros * 1000);
        }
        samples.add(micros * 2000);
        samples.add(micros * 2000);
        return samples;
    }

    /** The machine is twice and three times as slow in some rounds, for all alike. */
    @BeforeEach
    void measure() {
        for (long slow : new long[] {1, 3, 2}) {
            report.add(
                    1,
                    new IdleReport.Load(0.001 * slow, 0.01),
                    List.of(samples(20 * slow), samples(10 * slow), samples(40 * slow)));
            report.add(
                    100,
                    new IdleReport.Load(0.01 * slow, 0.2),
                    List.of(samples(22 * slow), samples(30 * slow), samples(15 * slow)));
        }
        report.add(1, new Footprint(50 << 20, 4 << 20, 1 << 20, 0, 200 << 20, 40, 60));
        report.add(100, new Footprint(60 << 20, 103 << 20, 50 << 20, 99 << 19, 400 << 20, 40, 456));
    }

    @Test
    void whenRoundsDifferThenMediansArePrintedAndRatiosAreThoseOfARound() {
        StringWriter text = new StringWriter();
        report.print(new PrintWriter(text));
        assertThat(text.toString().lines())
                .contains("ratio idle-latency 100 1.100", "ratio idle-p99 100 1.100", "ratio idle-best 100 1.500")
                .anyMatch(line -> line.matches("1 +0\\.20 +1\\.00 +40\\.0 +10\\.0 +80\\.0"))
                .anyMatch(line -> line.matches("100 +2\\.00 +20\\.00 +44\\.0 +15\\.0 +88\\.0"));
    }

    @Test
    void whenThereAreMorePeersThenWhatEachTakesIsTheDifferenceByPeer() {
        StringWriter text = new StringWriter();
        report.print(new PrintWriter(text));
        assertThat(text.toString().lines())
                .contains("each peer from 1 to 100, in KB")
                .anyMatch(line -> line.matches(" +103\\.4 +1024\\.0 +506\\.8 +512\\.0 +2068\\.7 +0\\.0 +4\\.0"));
    }

    @Test
    void whenFootprintsComeAgainThenThoseOfTheFirstRoundStay() {
        report.add(1, new Footprint(0, 0, 0, 0, 0, 0, 0));
        assertThat(report.csv().lines())
                .hasSize(3)
                .contains("1,0.002000,0.010000,40.000,10.000,80.000,52428800,4194304,1048576,0,209715200,40,60");
    }

    @Test
    void whenDrawnThenEachNumberOfPeersHasAPlace() {
        assertThat(report.svg()).contains(">p50 us<", ">p99 us<", ">processor, permille<", ">1<", ">100<");
    }
}

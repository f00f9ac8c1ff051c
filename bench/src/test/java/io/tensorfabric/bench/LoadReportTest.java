package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.bench.peers.Samples;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class LoadReportTest {

    private static LoadReport.Latency latency(long micros, double load) {
        Samples samples = new Samples();
        for (int i = 0; i < 99; i++) {
            samples.add(micros * 1000);
        }
        samples.add(micros * 10_000);
        samples.add(micros * 10_000);
        return new LoadReport.Latency(samples, load);
    }

    @Test
    void whenRoundsDifferThenMediansOfPercentilesAreCompared() {
        LoadReport report = new LoadReport(new ByteSize(4096), new ByteSize(1 << 30));
        for (long round : new long[] {3, 1, 2}) {
            report.alone(latency(10 * round, 0));
            report.loaded(latency(15 * round, 1e9 * round));
        }
        StringWriter text = new StringWriter();
        report.print(new PrintWriter(text));
        assertThat(text.toString())
                .containsPattern("p50 +20\\.0 +30\\.0\\R")
                .containsPattern("p99 +200\\.0 +300\\.0\\R")
                .contains("2.000 GB/s")
                .contains("ratio under-load-p50 4KB 1.500", "ratio under-load-p99.9 4KB 1.500");
        assertThat(report.csv().lines()).contains("50.0,20.000,30.000").hasSize(5);
        assertThat(report.svg()).contains(">p50<", ">p99.9<", ">alone us<", ">loaded us<");
    }
}

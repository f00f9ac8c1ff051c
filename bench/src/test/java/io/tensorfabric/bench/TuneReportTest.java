package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TuneReportTest {

    @Test
    void whenValuesWereTriedThenEachIsComparedWithTheFirstOfItsProperty() {
        TuneReport report = new TuneReport(new ByteSize(1 << 20));
        report.add("fabric.connection.bulk-lanes", "1", 2e9);
        report.add("fabric.connection.bulk-lanes", "2", 3e9);
        report.add("fabric.transfer.chunk-size", "64KB", 1e9);
        StringWriter text = new StringWriter();
        report.printRatios(new PrintWriter(text));
        assertThat(text.toString().lines().filter(line -> !line.isEmpty()))
                .containsExactly(
                        "ratio tune-bulk-lanes=1 1MB 1.000",
                        "ratio tune-bulk-lanes=2 1MB 1.500",
                        "ratio tune-chunk-size=64KB 1MB 1.000");
        assertThat(report.csv().lines())
                .containsExactly(
                        "property,value,bytes,bytes_per_second",
                        "fabric.connection.bulk-lanes,1,1048576,2000000000",
                        "fabric.connection.bulk-lanes,2,1048576,3000000000",
                        "fabric.transfer.chunk-size,64KB,1048576,1000000000");
        assertThat(report.svg()).contains(">fabric.connection.bulk-lanes<");
    }
}

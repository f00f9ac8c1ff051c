package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorfabric.bench.peers.Carrier;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PeersReportTest {

    private static final ByteSize SIZE = new ByteSize(4096);

    private final Carrier shm = named("shm");

    private final Carrier tcp = named("tcp");

    private final Carrier nio = named("nio");

    private final PeersReport report =
            new PeersReport(List.of(shm, tcp, nio), Map.of("ucx-tcp", "no libucp.so.0"), List.of(SIZE));

    private static Carrier named(String name) {
        return new Carrier() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public double bandwidth(long size, double seconds) {
                throw new UnsupportedOperationException();
            }

            @Override
            public double latency(long size, double seconds) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void whenRoundsDifferThenMediansAndOursOverTheirsArePrinted() {
        for (double factor : new double[] {9, 1, 2}) {
            report.bandwidth(shm, SIZE, 6e9 * factor);
            report.bandwidth(tcp, SIZE, 1.5e9 * factor);
            report.bandwidth(nio, SIZE, 3e9 * factor);
            report.latency(shm, SIZE, 10 * factor);
            report.latency(tcp, SIZE, 40 * factor);
            report.latency(nio, SIZE, 20 * factor);
        }
        StringWriter text = new StringWriter();
        report.print(new PrintWriter(text));
        assertThat(text.toString().lines())
                .contains(
                        "ratio shm-nio 4KB 2.000",
                        "ratio tcp-nio 4KB 0.500",
                        "ratio lat-shm-nio 4KB 0.500",
                        "ratio lat-tcp-nio 4KB 2.000",
                        "ucx-tcp not here: no libucp.so.0")
                .noneMatch(line -> line.startsWith("ratio shm-tcp"));
        assertThat(report.svg()).contains(">shm<", ">nio<").doesNotContain("ucx");
        assertThat(report.csv().lines())
                .contains("carrier,bytes,bytes_per_second,median_micros", "shm,4096,12000000000,20.000");
    }

    @Test
    void whenSomethingWasNotMeasuredThenItIsNamed() {
        assertThatIllegalStateException().isThrownBy(report::csv).withMessageContaining("shm");
    }
}

package io.tensorfabric.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Figures of pushes as a table, as CSV and as a drawing. */
final class PushReport {

    private final List<Figures> figures;

    private final List<Double> copies;

    /** @param copies bytes a second of copies within one process, by size as the figures */
    PushReport(List<Figures> figures, List<Double> copies) {
        this.figures = figures;
        this.copies = copies;
    }

    void print(PrintWriter out) {
        out.printf(
                "%n%-8s %9s %11s %10s %10s %10s %9s %8s%n",
                "size", "GB/s", "pushes/s", "p50 us", "p99 us", "p99.9 us", "CPU s/GB", "B/push");
        for (Figures each : figures) {
            out.printf(
                    Locale.ROOT,
                    "%-8s %9.3f %11.0f %10.1f %10.1f %10.1f %9.3f %8.0f%n",
                    each.size(),
                    each.gigabytesPerSecond(),
                    each.pushesPerSecond(),
                    each.p50(),
                    each.p99(),
                    each.p999(),
                    each.cpuSecondsPerGigabyte(),
                    each.allocatedPerPush());
        }
        out.printf(
                "%nGB/s and pushes/s with many under way; microseconds of one at a time, until the peer's device has it;%n");
        out.printf(
                "CPU seconds of both processes for each GB; bytes of Java heap that the sender allocates for each push.%n%n");
        for (int i = 0; i < figures.size(); i++) {
            Figures each = figures.get(i);
            double ratio = each.gigabytesPerSecond() * 1e9 / copies.get(i);
            out.printf(Locale.ROOT, "ratio push-memcpy %s %.4f%n", each.size(), ratio);
        }
    }

    String csv() {
        StringBuilder text =
                new StringBuilder("bytes,bytes_per_second,pushes_per_second,p50_micros,p99_micros,p999_micros,"
                        + "cpu_seconds_per_gb,allocated_per_push\n");
        for (Figures each : figures) {
            text.append(String.format(
                    Locale.ROOT,
                    "%d,%.0f,%.1f,%.3f,%.3f,%.3f,%.4f,%.1f%n",
                    each.size().bytes(),
                    each.gigabytesPerSecond() * 1e9,
                    each.pushesPerSecond(),
                    each.p50(),
                    each.p99(),
                    each.p999(),
                    each.cpuSecondsPerGigabyte(),
                    each.allocatedPerPush()));
        }
        return text.toString();
    }

    String svg() {
        return new SvgPlot("Pushes by size of the tensor")
                .curve("GB/s", points(Figures::gigabytesPerSecond))
                .curve("p50 us", points(Figures::p50))
                .curve("p99 us", points(Figures::p99))
                .draw();
    }

    private List<SvgPlot.Point> points(ToDoubleFunction<Figures> value) {
        return figures.stream()
                .map(each -> new SvgPlot.Point(each.size().bytes(), value.applyAsDouble(each)))
                .toList();
    }
}

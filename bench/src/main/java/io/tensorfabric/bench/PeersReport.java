package io.tensorfabric.bench;

import io.tensorfabric.bench.peers.Carrier;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The medians of several rounds, as a table, as CSV and as ratios. */
final class PeersReport {

    private static final List<String> OURS = List.of("shm", "tcp");

    private final List<String> names;

    private final Map<String, String> missing;

    private final List<ByteSize> sizes;

    private final Map<Key, List<Double>> figures = new HashMap<>();

    private enum Figure {
        BYTES_A_SECOND,
        MICROS
    }

    private record Key(Figure figure, String carrier, ByteSize size) {}

    /** @param missing why some ways are not measured, by name */
    PeersReport(List<Carrier> carriers, Map<String, String> missing, List<ByteSize> sizes) {
        this.missing = missing;
        this.names = carriers.stream().map(Carrier::name).toList();
        this.sizes = sizes;
    }

    void bandwidth(Carrier carrier, ByteSize size, double bytesPerSecond) {
        add(new Key(Figure.BYTES_A_SECOND, carrier.name(), size), bytesPerSecond);
    }

    void latency(Carrier carrier, ByteSize size, double micros) {
        add(new Key(Figure.MICROS, carrier.name(), size), micros);
    }

    private void add(Key key, double value) {
        figures.computeIfAbsent(key, none -> new ArrayList<>()).add(value);
    }

    private double median(Figure figure, String carrier, ByteSize size) {
        List<Double> values = figures.get(new Key(figure, carrier, size));
        if (values == null) {
            throw new IllegalStateException("Nothing was measured of " + carrier + " with " + size);
        }
        return Medians.of(values);
    }

    void print(PrintWriter out) {
        table(out, "GB/s, as many at once as suits", Figure.BYTES_A_SECOND, 1e9);
        table(out, "microseconds, one at a time", Figure.MICROS, 1);
        out.println();
        missing.forEach((name, reason) -> out.printf("%s not here: %s%n", name, reason));
        ratios(out, Figure.BYTES_A_SECOND, "");
        ratios(out, Figure.MICROS, "lat-");
    }

    private void table(PrintWriter out, String title, Figure figure, double unit) {
        out.printf("%n%s%n%-8s", title, "size");
        names.forEach(name -> out.printf(" %10s", name));
        out.println();
        for (ByteSize size : sizes) {
            out.printf("%-8s", size);
            for (String name : names) {
                out.printf(Locale.ROOT, " %10.3f", median(figure, name, size) / unit);
            }
            out.println();
        }
    }

    private void ratios(PrintWriter out, Figure figure, String prefix) {
        for (String own : OURS) {
            for (String other : names) {
                if (!OURS.contains(other)) {
                    for (ByteSize size : sizes) {
                        double ratio = median(figure, own, size) / median(figure, other, size);
                        out.printf(Locale.ROOT, "ratio %s%s-%s %s %.3f%n", prefix, own, other, size, ratio);
                    }
                }
            }
        }
    }

    String csv() {
        StringBuilder text = new StringBuilder("carrier,bytes,bytes_per_second,median_micros\n");
        for (String name : names) {
            for (ByteSize size : sizes) {
                text.append(String.format(
                        Locale.ROOT,
                        "%s,%d,%.0f,%.3f%n",
                        name,
                        size.bytes(),
                        median(Figure.BYTES_A_SECOND, name, size),
                        median(Figure.MICROS, name, size)));
            }
        }
        return text.toString();
    }

    String svg() {
        SvgPlot plot = new SvgPlot("GB/s between two processes");
        for (String name : names) {
            plot.curve(
                    name,
                    sizes.stream()
                            .map(size ->
                                    new SvgPlot.Point(size.bytes(), median(Figure.BYTES_A_SECOND, name, size) / 1e9))
                            .toList());
        }
        return plot.draw();
    }
}
